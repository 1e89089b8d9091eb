/** The target that the person works on: that of new conversations, and of the objects that are shown. */
import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "../parts/use-stored";
import { useServices } from "./context";
import { usePlace } from "./router";

const NAME = "target";

export class TargetChoice {
  value: string;
  readonly #listeners = new Set<() => void>();

  /** With one target or none there is nothing to choose: the application takes its default one. */
  constructor(readonly targets: string[]) {
    const stored = readStored(NAME, "");
    this.value = targets.length < 2 ? "" : targets.includes(stored) ? stored : targets[0]!;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  choose(target: string): void {
    this.value = target;
    writeStored(NAME, target);
    this.#listeners.forEach((listener) => listener());
  }
}

/** The target of the address, or else the chosen one. */
export function useTarget(): string {
  const { target } = useServices();
  const { query } = usePlace();
  const chosen = useSyncExternalStore(target.subscribe, () => target.value);
  return query.get("target") ?? chosen;
}
