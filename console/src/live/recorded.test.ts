/** Runs as a server has written them: their streams and their documents, which must say the same. */
import { expect, test } from "vitest";
import type { AguiEvent } from "../events";
import created from "../stories/recorded/create.json";
import deleted from "../stories/recorded/deleted.json";
import waiting from "../stories/recorded/waiting.json";
import type { RunDocument } from "../wire";
import { fromDocument } from "./document";
import { fold } from "./fold";
import { emptyRun, openQuestions, type RunState } from "./run-state";

interface Recorded {
  document: RunDocument;
  events: { id: string; data: AguiEvent }[];
}

const RUNS = { created, waiting, deleted } as unknown as Record<string, Recorded>;

/** What a screen shows of a run, without the ids that a stream and a document give to texts. */
function shown(state: RunState) {
  const blocks = state.blocks.map((block) => {
    if (block.kind !== "call") return block.text;
    const { call, state: at, sentence, startedAt, endedAt, changed, by } = state.calls[block.key]!;
    return { call, at, sentence, startedAt, endedAt, changed, by };
  });
  return { status: state.status, blocks, receipt: state.status === "waiting" ? null : state.receipt };
}

for (const [name, { document, events }] of Object.entries(RUNS)) {
  const all = events.map((each) => each.data);

  test(`${name}: what was streamed and what is read later are the same, in the same order`, () => {
    const streamed = all.reduce(fold, emptyRun(document.run));
    expect(shown(streamed)).toEqual(shown(fromDocument(document)));
  });

  test(`${name}: a stream that is cut anywhere and goes on is the whole stream`, () => {
    const whole = all.reduce(fold, emptyRun(document.run));
    for (let cut = 1; cut < all.length; cut++) {
      const first = all.slice(0, cut).reduce(fold, emptyRun(document.run));
      const again: AguiEvent = { type: "RUN_STARTED", threadId: document.conversation, runId: document.run };
      expect(shown([again, ...all.slice(cut)].reduce(fold, first))).toEqual(shown(whole));
    }
  });
}

test("a run that waits shows its question", () => {
  const { document, events } = RUNS["waiting"]!;
  const streamed = events.map((each) => each.data).reduce(fold, emptyRun(document.run));
  expect(openQuestions(streamed).map((each) => each.id)).toEqual(document.questions.map((each) => each.id));
});
