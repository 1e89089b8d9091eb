import { type PointerEvent, type RefObject, useRef, useState } from "react";
import { useServices } from "../app/context";
import { lastChanged, type RunState } from "../live/run-state";
import { useRun } from "../live/use-run";
import { Icon } from "../parts/icon";
import { Nothing } from "../parts/notes";
import { Switch } from "../parts/seg";
import { useStored } from "../parts/use-stored";
import { readable, spent } from "../parts/words";
import type { ChangedDocument, ViewDocument } from "../wire";
import { Preview } from "./preview";

type Tab = "preview" | "memory";

export interface Side {
  isOpen: boolean;
  hasContent: boolean;
  toggle: () => void;
  frame: RefObject<HTMLDivElement | null>;
  object: ChangedDocument | null;
  target: string;
  memory: unknown;
  spent: string;
}

/** What stands beside the talk, for its latest runs: the object that changed last, and working memory. */
export function useSide(runs: string[], target = ""): Side {
  const { me } = useServices();
  const latest = useRun(runs.at(-1));
  const earlier = [useRun(runs.at(-2)), useRun(runs.at(-3))];
  const { state, document } = latest;
  const frame = useRef<HTMLDivElement>(null);
  const [isWanted, setWanted] = useStored("side.open", window.innerWidth > 1180);
  const found = [latest, ...earlier].map((each) => each.state && previewOf(each.state, me.application.views));
  const shown = found.find((each) => each !== null) ?? null;
  const memory = state?.state ?? null;
  const hasContent = shown !== null || memory !== null;
  return {
    isOpen: isWanted && hasContent,
    hasContent,
    toggle: () => setWanted(!isWanted),
    frame,
    object: shown,
    target,
    memory,
    spent: spent(state?.usage ?? document?.usage),
  };
}

function previewOf(state: RunState, views: ViewDocument[]): ChangedDocument | null {
  const object = lastChanged(state);
  return object && views.some((each) => each.kind === object.kind) ? object : null;
}

export function SidePanel({ side }: { side: Side }) {
  const tabs = [
    ...(side.object ? [tab("preview", "eye", "Preview")] : []),
    ...(side.memory !== null ? [tab("memory", "memory", "Memory")] : []),
  ];
  const [wanted, setWanted] = useState<Tab>("preview");
  const current = tabs.find((each) => each.value === wanted)?.value ?? tabs[0]?.value ?? "preview";
  return (
    <aside className="side pane" aria-label="Beside the talk">
      <Divider frame={side.frame} />
      <div className="top">
        {tabs.length > 1 ? (
          <Switch label="Side panel" value={current} onChange={setWanted} options={tabs} />
        ) : (
          <h2 className="side-title">{tabs[0]?.label}</h2>
        )}
        <span className="grow" />
        <button className="b bare" aria-label="Close the panel" onClick={side.toggle}>
          <Icon name="x" />
        </button>
      </div>
      {current === "preview" && side.object && <Preview object={side.object} target={side.target} />}{" "}
      {current === "memory" && <Memory memory={side.memory} />}
    </aside>
  );
}

function tab(value: Tab, icon: "eye" | "memory", label: string) {
  return {
    value,
    label: (
      <>
        <Icon name={icon} />
        {label}
      </>
    ),
  };
}

/** The line between talk and panel: dragged, or moved with the arrow keys. Its place is remembered. */
function Divider({ frame }: { frame: Side["frame"] }) {
  const [share, setShare] = useStored("side.share", 44);
  const set = (value: number) => {
    const bounded = Math.min(60, Math.max(30, Math.round(value)));
    setShare(bounded);
    frame.current?.style.setProperty("--side", `${bounded}%`);
  };
  function drag(event: PointerEvent<HTMLDivElement>) {
    const box = frame.current?.getBoundingClientRect();
    if (event.buttons === 1 && box) set(((box.right - event.clientX) / box.width) * 100);
  }
  return (
    <div
      ref={(element) => {
        if (element) frame.current?.style.setProperty("--side", `${share}%`);
      }}
      className="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={share}
      aria-valuemin={30}
      aria-valuemax={60}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") set(share + 2);
        if (event.key === "ArrowRight") set(share - 2);
      }}
    />
  );
}

interface Remembered {
  kind: string;
  id: string;
  name: string;
}

/** What the agent works with: the objects that it has read or changed. */
function Memory({ memory }: { memory: unknown }) {
  const found = objectsIn(memory);
  return (
    <div className="sheet" tabIndex={0} role="region" aria-label="Working memory">
      {found.length === 0 && (
        <Nothing title="Nothing yet.">Objects that the agent reads or changes appear here.</Nothing>
      )}
      <ul className="mem">
        {found.map((each) => (
          <li key={`${each.kind}/${each.id}`}>
            <Icon name="file" />
            <span className="grow">
              {each.name} <span className="meta">{readable(each.kind)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function objectsIn(value: unknown): Remembered[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!value || typeof value !== "object") return [];
  const object = value as Partial<Remembered>;
  if (typeof object.kind === "string" && typeof object.name === "string") return [object as Remembered];
  return Object.values(value).flatMap(objectsIn);
}
