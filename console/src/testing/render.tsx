import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import type { Api } from "../api/api";
import { App } from "../app/app";
import { makeServices, ServicesContext } from "../app/context";
import { navigate } from "../app/router";
import { ME } from "../stories/data";
import { fakeApi, type Scenario } from "../stories/fake";
import type { Me } from "../wire";

/** Render a part of a screen over recorded data. */
export function renderPart(part: ReactNode, { me = ME, get }: { me?: Me; get?: Api["get"] } = {}) {
  const api = fakeApi("full", { writesSlowly: false });
  if (get) api.get = get;
  const services = makeServices(api, me);
  const user = userEvent.setup();
  return { user, api, services, ...render(<ServicesContext value={services}>{part}</ServicesContext>) };
}

/** Render the console at an address over recorded data. */
export function renderAt(path: string, scenario: Scenario = "full") {
  navigate(path);
  const api = fakeApi(scenario, { writesSlowly: false });
  const user = userEvent.setup();
  return { user, api, ...render(<App api={api} />) };
}
