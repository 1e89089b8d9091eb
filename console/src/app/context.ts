import { createContext, useContext } from "react";
import type { Api } from "../api/api";
import { Resources } from "../api/resources";
import { RunStreams } from "../live/streams";
import { World } from "../live/world";
import type { Me } from "../wire";
import { TargetChoice } from "./target";

/** What every screen needs: the door to the server, what was read, what changes, and who is signed in. */
export interface Services {
  api: Api;
  resources: Resources;
  world: World;
  streams: RunStreams;
  me: Me;
  target: TargetChoice;
}

export function makeServices(api: Api, me: Me): Services {
  const resources = new Resources(api);
  return {
    api,
    me,
    target: new TargetChoice(me.application.targets),
    resources,
    world: new World(api, resources, me),
    streams: new RunStreams(api, resources),
  };
}

export const ServicesContext = createContext<Services | null>(null);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error("useServices: render the screen inside a ServicesContext");
  return services;
}
