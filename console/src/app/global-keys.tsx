import { useState } from "react";
import { Dialog } from "../parts/dialog";
import { useKeys } from "./keys";
import { navigate } from "./router";

const KEYS: [string, string][] = [
  ["/", "write, search"],
  ["j k", "move"],
  ["g c", "chat"],
  ["g i", "inbox"],
  ["g r", "runs"],
  ["g h", "change sets, or the first list of objects"],
  ["g t", "tools"],
  ["g p", "policy"],
  ["Enter", "open"],
  ["y Enter", "yes"],
  ["n", "deny"],
  ["e", "edit"],
  ["x", "tick"],
  ["[", "side panel"],
  ["← →", "step"],
  ["Esc", "close"],
  ["Shift Esc", "stop the run"],
  ["?", "these keys"],
];

/** Keys that work on every page: where to go, what to write in, the list of keys. */
export function GlobalKeys({ targets }: { targets: string[] }) {
  const [isShown, setShown] = useState(false);
  const view = targets.find((each) => each.startsWith("/objects/"));
  useKeys({
    "g c": () => navigate("/chat"),
    "g i": () => navigate("/inbox"),
    "g r": () => navigate("/runs"),
    "g h": () => view && navigate(view),
    "g t": () => navigate("/tools"),
    "g p": () => navigate("/policy"),
    "/": () => document.querySelector<HTMLElement>("[data-key='/']")?.focus(),
    "?": () => setShown(true),
    j: () => move(1),
    k: () => move(-1),
  });
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl>
        {KEYS.map(([keys, words]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <button className="b" onClick={() => setShown(false)}>
        Close
      </button>
    </Dialog>
  );
}

/** Move the focus within the list of the page. */
function move(step: number): void {
  const items = [...document.querySelectorAll<HTMLElement>("[data-list] [data-item]")];
  if (items.length === 0) return;
  const now = items.findIndex((each) => each.contains(document.activeElement));
  const next = now < 0 ? items.findIndex((each) => each.hasAttribute("aria-current")) : now + step;
  items[Math.min(Math.max(next, 0), items.length - 1)]?.focus();
}
