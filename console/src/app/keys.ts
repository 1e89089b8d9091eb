import { useEffect, useRef } from "react";

type Handlers = Record<string, (event: KeyboardEvent) => void>;

const SEQUENCE_MILLISECONDS = 1200;

/**
 * Call a handler when its key is pressed: "j", "Escape", or a sequence such as "g i". While a person writes, keys are
 * letters, except Escape. A key with Ctrl, Alt or Meta belongs to the browser.
 */
export function useKeys(handlers: Handlers): void {
  const current = useRef(handlers);
  useEffect(() => {
    current.current = handlers;
  });
  useEffect(() => {
    let first = "";
    let timer = 0;
    function press(event: KeyboardEvent) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      if (event.key !== "Escape" && isWriting(event.target)) return;
      const key = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
      const handler = (first && current.current[`${first} ${key}`]) || (!first && current.current[key]);
      clearTimeout(timer);
      first = first ? "" : key;
      timer = window.setTimeout(() => (first = ""), SEQUENCE_MILLISECONDS);
      if (!startsSequence(current.current, key)) first = "";
      if (!handler) return;
      first = "";
      event.preventDefault();
      handler(event);
    }
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", press);
      clearTimeout(timer);
    };
  }, []);
}

function startsSequence(handlers: Handlers, key: string): boolean {
  return Object.keys(handlers).some((each) => each.startsWith(`${key} `));
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && Boolean(target.closest("input:not([type=checkbox]), textarea, select"));
}
