import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { Icon } from "./icon";

export interface MenuEntry {
  label: ReactNode;
  onSelect: () => void;
  isRuinous?: boolean;
}

/** A button with further actions. The browser closes it on Escape and on a click elsewhere. */
export function Menu({ label, entries }: { label: string; entries: MenuEntry[] }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  function place() {
    const edge = button.current?.getBoundingClientRect();
    if (!edge || !list.current) return;
    list.current.style.top = `${edge.bottom + 4}px`;
    list.current.style.right = `${window.innerWidth - edge.right}px`;
  }

  function move(event: KeyboardEvent) {
    const items = [...(list.current?.querySelectorAll("button") ?? [])];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const now = items.indexOf(document.activeElement as HTMLButtonElement);
    items.at((now + step) % items.length)?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="b bare"
        aria-label={label}
        aria-haspopup="menu"
        popoverTarget={id}
        onClick={place}
      >
        <Icon name="more" />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        onKeyDown={move}
        onToggle={(event) => event.newState === "open" && list.current?.querySelector("button")?.focus()}
      >
        {entries.map((each, index) => (
          <button
            key={index}
            type="button"
            role="menuitem"
            className={each.isRuinous ? "fail" : ""}
            onClick={() => {
              list.current?.hidePopover();
              each.onSelect();
            }}
          >
            {each.label}
          </button>
        ))}
      </div>
    </>
  );
}
