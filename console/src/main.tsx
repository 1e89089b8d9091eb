import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { httpApi } from "./api/http";
import { App } from "./app/app";
import { applyTheme, readTheme } from "./app/theme";
import "./styles/index.css";

applyTheme(readTheme());
const api = httpApi();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App
      api={api}
      onMe={(me) => {
        api.csrf = me.csrf;
      }}
    />
  </StrictMode>,
);
