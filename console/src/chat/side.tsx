import { type PointerEvent, type RefObject, useRef, useState } from "react";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { lastChanged, type RunState } from "../live/run-state";
import { useRun } from "../live/use-run";
import { Icon, type IconName } from "../parts/icon";
import { Switch } from "../parts/seg";
import { useStored } from "../parts/use-stored";
import { spent } from "../parts/words";
import type { ChangedDocument, ConversationFileDocument, Listed, RememberedDocument, ViewDocument } from "../wire";
import { Files } from "./files";
import { Memory } from "./memory";
import { Preview } from "./preview";

type Tab = "preview" | "files" | "memory";

export interface Side {
  isOpen: boolean;
  hasContent: boolean;
  toggle: () => void;
  frame: RefObject<HTMLDivElement | null>;
  conversation: string;
  object: ChangedDocument | null;
  target: string;
  files: ConversationFileDocument[];
  memory: RememberedDocument[];
  spent: string;
}

/** What stands beside the talk: the object that changed last, the files of the conversation, and working memory. */
export function useSide(conversation: string, runs: string[], target = ""): Side {
  const { me } = useServices();
  const latest = useRun(runs.at(-1));
  const earlier = [useRun(runs.at(-2)), useRun(runs.at(-3))];
  const { state, document } = latest;
  const frame = useRef<HTMLDivElement>(null);
  const [isWanted, setWanted] = useStored("side.open", window.innerWidth > 1180);
  const found = [latest, ...earlier].map((each) => each.state && previewOf(each.state, me.application.views));
  const object = found.find((each) => each !== null) ?? null;
  const path = `/api/conversations/${encodeURIComponent(conversation)}`;
  const isBegun = runs.length > 0;
  const files = useResource<Listed<ConversationFileDocument>>(isBegun ? `${path}/files` : null).data?.items ?? [];
  const memory = useResource<Listed<RememberedDocument>>(isBegun ? `${path}/memory` : null).data?.items ?? [];
  const hasContent = object !== null || files.length > 0 || memory.length > 0;
  return {
    isOpen: isWanted && hasContent,
    hasContent,
    toggle: () => setWanted(!isWanted),
    frame,
    conversation,
    object,
    target,
    files,
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
    tab("files", "file", "Files"),
    tab("memory", "memory", "Memory"),
  ];
  const [wanted, setWanted] = useState<Tab | null>(null);
  const first = side.object ? "preview" : side.files.length > 0 ? "files" : "memory";
  const current = tabs.find((each) => each.value === wanted)?.value ?? first;
  return (
    <aside className="side pane" aria-label="Beside the talk">
      <Divider frame={side.frame} />
      <div className="top">
        <Switch label="Side panel" value={current} onChange={setWanted} options={tabs} />
        <span className="grow" />
        <button className="b bare" aria-label="Close the panel" onClick={side.toggle}>
          <Icon name="x" />
        </button>
      </div>
      {current === "preview" && side.object && <Preview object={side.object} target={side.target} />}
      {current === "files" && <Files files={side.files} conversation={side.conversation} />}
      {current === "memory" && <Memory objects={side.memory} target={side.target} />}
    </aside>
  );
}

function tab(value: Tab, icon: IconName, label: string) {
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
