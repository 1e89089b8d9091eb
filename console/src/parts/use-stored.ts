import { useCallback, useState } from "react";

const PREFIX = "remit.";

export function readStored<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Without storage, a choice lasts as long as the page.
  }
}

/** A choice of the person that outlives the page. Without a name it lasts as long as the component. */
export function useStored<T>(name: string | null, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (name ? readStored(name, initial) : initial));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      if (name) writeStored(name, next);
    },
    [name],
  );
  return [value, set];
}
