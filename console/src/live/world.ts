/** What changes for the signed-in person: open questions, conversations, runs, and whether the server answers. */
import { useSyncExternalStore } from "react";
import { type Api, NetworkError, RefusedError, type StreamEvent } from "../api/api";
import type { Resources } from "../api/resources";
import { useServices } from "../app/context";
import type { ConversationDocument, Listed, QuestionDocument, RunRowDocument } from "../wire";

export interface WorldState {
  questions: Record<string, QuestionDocument>;
  conversations: ConversationDocument[] | null;
  /** Why the questions or the conversations could not be read: what is known of them is not all. */
  problem: Error | null;
  runs: Record<string, RunRowDocument>;
  /** `away`: the server does not answer, and is asked again at `retryAt` (milliseconds). */
  connection: "connecting" | "here" | "away" | "signed out";
  retryAt: number;
}

const PAUSES = [1, 2, 4, 8, 15];

/** How long a stream without events must stay open to count as a connection, in milliseconds. */
const PROVEN_AFTER = 2000;
const MOST_QUESTIONS = 200;

export class World {
  state: WorldState = {
    questions: {},
    conversations: null,
    problem: null,
    runs: {},
    connection: "connecting",
    retryAt: 0,
  };
  readonly #listeners = new Set<() => void>();
  #control = new AbortController();
  #after: string;
  #failures = 0;
  #wake: (() => void) | null = null;

  constructor(
    readonly api: Api,
    readonly resources: Resources,
    /** From where on changes are followed: what is read now misses none. */
    place = "",
  ) {
    this.#after = place;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Follow what changes until `stop`. */
  async start(): Promise<void> {
    this.#control = new AbortController();
    const { signal } = this.#control;
    if (this.#after) void this.readLists();
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RefusedError && error.status === 401) return this.#set({ connection: "signed out" });
        if (error instanceof RefusedError) this.#after = "";
        if (!(error instanceof NetworkError || error instanceof RefusedError)) throw error;
      }
      await this.#pause();
    }
  }

  /** Follow one stream to its end. If it breaks off at once, the next one starts from the beginning. */
  async #follow(signal: AbortSignal): Promise<void> {
    let isUnproven = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const prove = () => {
      isUnproven = false;
      clearTimeout(timer);
      this.#connected();
    };
    const onOpen = () => {
      isUnproven = true;
      timer = setTimeout(prove, PROVEN_AFTER);
      if (!this.#after) this.#beginAnew();
    };
    const onEvent = (event: StreamEvent) => {
      if (isUnproven) prove();
      this.#take(event);
    };
    const options = { signal, onOpen, onEvent };
    try {
      await this.api.stream("/api/watch", this.#after ? { ...options, after: this.#after } : options);
    } finally {
      clearTimeout(timer);
      if (isUnproven) this.#after = ""; // the server may no longer know the place to go on from
    }
  }

  stop(): void {
    this.#control.abort();
  }

  /** Ask the server now instead of after the pause. */
  tryNow = (): void => {
    this.#wake?.();
  };

  /** A question in its newest state, as it was read or answered. */
  putQuestion(question: QuestionDocument): void {
    this.#set({ questions: { ...this.state.questions, [question.id]: question } });
  }

  #connected(): void {
    if (this.#failures > 0) this.resources.retryFailed();
    this.#failures = 0;
    this.#set({ connection: "here", retryAt: 0 });
  }

  /** Read the documents, since changes may have been missed. */
  #beginAnew(): void {
    this.#set({ runs: {} });
    this.resources.invalidate("/api/");
    void this.readLists();
  }

  /** Read what waits and the conversations, before their changes are followed. */
  readLists = async (): Promise<void> => {
    const { questions: before, conversations: listed } = this.state;
    const [questions, conversations] = await Promise.allSettled([
      this.api.get<Listed<QuestionDocument>>(`/api/questions?status=open&limit=${MOST_QUESTIONS}`),
      this.api.get<Listed<ConversationDocument>>("/api/conversations?limit=100"),
    ]);
    const open = questions.status === "fulfilled" ? questions.value.items : [];
    const isWhole = questions.status === "fulfilled" && open.length < MOST_QUESTIONS;
    const kept = Object.entries(this.state.questions).filter(
      ([id, each]) => !isWhole || each.status !== "open" || each !== before[id],
    );
    const newer = (this.state.conversations ?? []).filter((each) => !listed?.includes(each));
    const failed = [questions, conversations].find((each) => each.status === "rejected");
    this.#set({
      questions: { ...Object.fromEntries(kept), ...Object.fromEntries(open.map((each) => [each.id, each])) },
      conversations:
        conversations.status === "fulfilled" ? withRows(conversations.value.items, newer) : this.state.conversations,
      problem: failed ? (failed.reason as Error) : null,
    });
  };

  #take({ id, event, data }: StreamEvent): void {
    if (id) this.#after = id;
    if (event === "run") {
      const row = data as RunRowDocument;
      this.#set({ runs: { ...this.state.runs, [row.run]: row } });
      this.resources.invalidate("/api/runs");
      if (row.conversation) this.resources.invalidate(`/api/conversations/${row.conversation}`);
    } else if (event === "question") {
      const question = data as QuestionDocument;
      this.putQuestion(question);
      this.resources.invalidate("/api/questions");
      this.resources.invalidate(`/api/runs/${question.run}`);
    } else if (event === "conversation") {
      const row = data as ConversationDocument;
      this.#set({ conversations: withRows(this.state.conversations ?? [], [row]) });
    }
  }

  async #pause(): Promise<void> {
    const seconds = PAUSES[Math.min(this.#failures++, PAUSES.length - 1)]!;
    if (this.#failures > 1) this.#set({ connection: "away", retryAt: Date.now() + seconds * 1000 });
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, seconds * 1000);
    });
  }

  #set(change: Partial<WorldState>): void {
    this.state = { ...this.state, ...change };
    this.#listeners.forEach((listener) => listener());
  }
}

/** The conversations with newer rows of some of them, the most recent first. */
function withRows(conversations: ConversationDocument[], newer: ConversationDocument[]): ConversationDocument[] {
  const changed = new Set(newer.map((each) => each.conversation));
  const others = conversations.filter((each) => !changed.has(each.conversation));
  return [...newer, ...others].sort((a, b) => b.active - a.active);
}

export function useWorld<T>(select: (state: WorldState) => T): T {
  const { world } = useServices();
  return useSyncExternalStore(world.subscribe, () => select(world.state));
}

/** The open questions, oldest first. They wait for the reader if the reader may approve or deny them. */
export function selectOpen(questions: Record<string, QuestionDocument>): QuestionDocument[] {
  return Object.values(questions)
    .filter((each) => each.status === "open")
    .sort((a, b) => a.asked - b.asked);
}

/** Questions that only the inbox counts: a confirmation stands in its conversation. */
export function waitsInInbox(question: QuestionDocument): boolean {
  return question.status === "open" && question.may.kind === "approve" && (question.may.approve || question.may.deny);
}
