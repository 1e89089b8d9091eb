import { useCallback, useRef } from "react";

/**
 * The idempotency key of what is sent: the same content has the same key, so that it takes effect once if it is sent
 * again after a lost answer. Other content has a new one, and so has the same after `forget`.
 */
export function useRequestKey() {
  const sent = useRef<{ content: string; key: string } | null>(null);
  const keyOf = useCallback((request: unknown): string => {
    const content = JSON.stringify(request);
    if (sent.current?.content !== content) sent.current = { content, key: crypto.randomUUID() };
    return sent.current.key;
  }, []);
  const forget = useCallback(() => {
    sent.current = null;
  }, []);
  return { keyOf, forget };
}
