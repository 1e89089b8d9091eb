import { type RefObject, useEffect, useRef } from "react";

const NEAR = 48;

/** Keep a scrolled box at its end while it grows, unless the person has scrolled up or opens a part of it. */
export function useStickToEnd(box: RefObject<HTMLElement | null>, subject: string): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    isAtEnd.current = true;
    const toEnd = () => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    };
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    };
    const observer = new ResizeObserver(toEnd);
    const watched = new MutationObserver(() => {
      for (const child of element.children) observer.observe(child);
      toEnd();
    });
    for (const child of element.children) observer.observe(child);
    observer.observe(element);
    watched.observe(element, { childList: true });
    const rest = (event: Event) => {
      if (event.target instanceof Element && event.target.closest("summary")) isAtEnd.current = false;
    };
    element.addEventListener("scroll", look, { passive: true });
    element.addEventListener("click", rest);
    toEnd();
    return () => {
      observer.disconnect();
      watched.disconnect();
      element.removeEventListener("scroll", look);
      element.removeEventListener("click", rest);
    };
  }, [box, subject]);
}
