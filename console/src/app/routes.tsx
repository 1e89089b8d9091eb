/** The screens by address. Chat and the questions are there at once; the others are loaded when they are opened. */
import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { ChatScreen } from "../chat/screen";
import { Loading, Nothing } from "../parts/notes";
import { Boundary } from "./boundary";
import { Link, match, navigate, usePlace } from "./router";

type Screen = ComponentType<Record<string, string>>;

/** A screen that is loaded when it is opened. Its props are the parameters of its pattern. */
function later<P>(load: () => Promise<ComponentType<P>>): Screen {
  return lazy(async () => ({ default: (await load()) as Screen }));
}

const inbox = later(async () => (await import("../inbox/screen")).InboxScreen);
const runs = later(async () => (await import("../runs/screen")).RunsScreen);
const run = later(async () => (await import("../runs/run-screen")).RunScreen);
const replay = later(async () => (await import("../replay/screen")).ReplayScreen);
const compare = later(async () => (await import("../replay/compare")).CompareScreen);
const tools = later(async () => (await import("../tools/screen")).ToolsScreen);
const policy = later(async () => (await import("../policy/screen")).PolicyScreen);
const objects = later(async () => (await import("../objects/screen")).ObjectsScreen);
const settings = later(async () => (await import("../settings/screen")).SettingsScreen);
const more = later(async () => (await import("../settings/more")).MoreScreen);

const ROUTES: [string, Screen][] = [
  ["/chat", ChatScreen as Screen],
  ["/chat/:conversation", ChatScreen as Screen],
  ["/inbox", inbox],
  ["/inbox/:question", inbox],
  ["/runs", runs],
  ["/runs/:run", run],
  ["/runs/:run/replay", replay],
  ["/compare/:a/:b", compare],
  ["/tools", tools],
  ["/tools/:name", tools],
  ["/policy", policy],
  ["/policy/:part", policy],
  ["/objects/:kind", objects],
  ["/objects/:kind/:id", objects],
  ["/settings", settings],
  ["/settings/:part", settings],
  ["/more", more],
];

export function Routes() {
  const { path } = usePlace();
  useEffect(() => {
    if (path === "/") navigate("/chat", { replace: true });
  }, [path]);
  for (const [pattern, Screen] of ROUTES) {
    const found = match(pattern, path);
    if (!found) continue;
    return (
      <Boundary key={pattern.split("/")[1]}>
        <Suspense fallback={<Loading />}>
          <Screen {...found} />
        </Suspense>
      </Boundary>
    );
  }
  return path === "/" ? null : (
    <div className="body">
      <Nothing title="Nothing is here.">
        <Link to="/chat">Go to the chat</Link>
      </Nothing>
    </div>
  );
}
