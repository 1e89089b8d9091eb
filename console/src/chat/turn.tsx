import { memo } from "react";
import { type Block, type CallView, isMoving, type RunState } from "../live/run-state";
import { useRun } from "../live/use-run";
import { Acts } from "../parts/acts";
import { parsedArguments } from "../parts/arguments";
import { Icon } from "../parts/icon";
import { FileChips } from "../parts/file";
import { Markdown } from "../parts/markdown";
import { Failed, Loading } from "../parts/notes";
import { ReceiptCard } from "../parts/receipt";
import type { FileDocument, RunDocument, ToolDocument } from "../wire";
import { Ending } from "./ending";

type Facts = Record<string, ToolDocument>;

/** One request of a person and what came of it. */
export const Turn = memo(function Turn({
  run,
  prompt,
  facts,
  agent,
  onGoOn,
}: {
  run: string;
  prompt: string | undefined;
  facts: Facts;
  agent: string;
  onGoOn?: (() => void) | undefined;
}) {
  const { state, document, error } = useRun(run);
  const { text, files } = requestOf(document);
  const said = document ? text : prompt;
  return (
    <section className="turn" aria-label={said ? `Request: ${said.slice(0, 60)}` : "Request"}>
      {(said || files.length > 0) && (
        <div className="said">
          {said && <p>{said}</p>}
          {files.length > 0 && <FileChips files={files} conversation={document?.conversation ?? ""} />}
        </div>
      )}
      {state ? (
        <TurnBody state={state} facts={facts} agent={agent} document={document} onGoOn={onGoOn} />
      ) : error ? (
        <Failed error={error} />
      ) : (
        <Loading rows={2} />
      )}
    </section>
  );
});

/** What the person wrote, and the files that went with it. */
function requestOf(document: RunDocument | undefined): { text: string; files: FileDocument[] } {
  const given = parsedArguments(document?.root?.arguments ?? "");
  if (isOfRuntime(document)) return { text: "", files: [] };
  if (typeof given.prompt !== "string") return { text: messageOf(document), files: [] };
  return { text: given.prompt, files: (given.files as FileDocument[] | undefined) ?? [] };
}

/** Whether the runtime began the run, for an answer that came later: the first message is in no person's words. */
function isOfRuntime(document: RunDocument | undefined): boolean {
  const first = document?.messages.find((each) => !each.given && each.role === "user");
  return first?.by === "loop" && first.agent === document?.root?.call;
}

function messageOf(document: RunDocument | undefined): string {
  const asked = document?.messages.filter(
    (each) => !each.given && each.role === "user" && (each.by === "person" || each.by === "caller"),
  );
  return asked?.find((each) => each.agent === document?.root?.call)?.text ?? document?.title ?? "";
}

export function TurnBody({
  state,
  facts,
  agent,
  document,
  onGoOn,
}: {
  state: RunState;
  facts: Facts;
  agent: string;
  document?: RunDocument | undefined;
  onGoOn?: (() => void) | undefined;
}) {
  return (
    <>
      {groupsOf(state).map((group, index) =>
        group.kind === "acts" ? (
          <Acts key={index} calls={group.calls} state={state} facts={facts} by={agent} />
        ) : (
          <Said key={group.block.id} block={group.block} />
        ),
      )}
      {isMoving(state.status) && <Working state={state} />}
      <Ending state={state} document={document} onGoOn={onGoOn} />
      {!isMoving(state.status) && state.receipt && (
        <ReceiptCard run={state.run} receipt={state.receipt} target={document?.target ?? ""} />
      )}
    </>
  );
}

type Written = Exclude<Block, { kind: "call" }>;
type Group = { kind: "acts"; calls: CallView[] } | { kind: "said"; block: Written };

/** The blocks of a run; calls that follow one another stand together. */
function groupsOf(state: RunState): Group[] {
  const groups: Group[] = [];
  for (const block of state.blocks) {
    if (block.kind !== "call") {
      if (block.text) groups.push({ kind: "said", block });
      continue;
    }
    const call = state.calls[block.key];
    const last = groups.at(-1);
    if (!call) continue;
    if (last?.kind === "acts") last.calls.push(call);
    else groups.push({ kind: "acts", calls: [call] });
  }
  return groups;
}

function Said({ block }: { block: Written }) {
  if (block.kind === "thought") {
    return (
      <details className="thought">
        <summary className="act">
          <Icon name="right" turns />
          <span className="meta">{block.isOpen ? "Thinks" : "Thought"}</span>
        </summary>
        <p className="meta">{block.text}</p>
      </details>
    );
  }
  return (
    <div className={block.isOpen ? "writing" : ""}>
      <Markdown text={block.text} />
    </div>
  );
}

/** A line that says that the model is busy, until its first word or call. */
function Working({ state }: { state: RunState }) {
  const last = state.blocks.at(-1);
  const isWriting = last && last.kind !== "call" && last.isOpen && last.text;
  const isCalling = Object.values(state.calls).some((each) => each.state === "running");
  if (isWriting || isCalling) return null;
  return (
    <div className="act" role="status">
      <span className="spin" />
      <span className="meta">{state.status === "queued" ? "Waits for its turn" : "Thinks"}</span>
    </div>
  );
}
