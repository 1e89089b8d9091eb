/** The console over recorded data: `?scenario=empty`, `loading`, `error` or `away`; `?theme=dark`. */
import { createRoot } from "react-dom/client";
import { App } from "../app/app";
import { applyTheme, type Theme } from "../app/theme";
import "../styles/index.css";
import { fakeApi, type Scenario } from "./fake";
import { Gallery } from "./gallery";

const query = new URLSearchParams(window.location.search);
applyTheme((query.get("theme") ?? "system") as Theme);
const scenario = (query.get("scenario") ?? "full") as Scenario;
const api = fakeApi(scenario, { writesSlowly: query.has("slow") });
const root = createRoot(document.getElementById("root")!);
root.render(window.location.pathname === "/gallery" ? <Gallery api={api} /> : <App api={api} />);
