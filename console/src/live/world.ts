/** What changes for the signed-in person: open questions, conversations, runs, and whether the server answers. */
import { useSyncExternalStore } from "react";
import { type Api, NetworkError, RefusedError, type StreamEvent } from "../api/api";
import type { Resources } from "../api/resources";
import { useServices } from "../app/context";
import type { ConversationDocument, Listed, Me, QuestionDocument, RunRowDocument } from "../wire";
import { type Conversations, NONE_READ, pagePath, reread, type Whose, withPage, withRow } from "./conversations";
import { pathTo } from "../app/router";

export interface WorldState {
  questions: Record<string, QuestionDocument>;
  /** Where the open questions go on that were not read; empty if all were. */
  moreQuestions: string;
  conversations: Conversations | null;
  /** Why the questions or the conversations could not be read: what is known of them is not all. */
  problem: Error | null;
  runs: Record<string, RunRowDocument>;
  /**
   * `away`: the server does not answer, and is asked again at `retryAt` (milliseconds). `changed`: the browser is signed
   * in otherwise than when the page was loaded, as another person or in another session.
   */
  connection: "connecting" | "here" | "away" | "signed out" | "changed";
  retryAt: number;
}

const PAUSES = [1, 2, 4, 8, 15];

/** How long a stream without events must stay open to count as a connection, in milliseconds. */
const PROVEN_AFTER = 2000;
const QUESTIONS = "/api/questions?status=open&limit=200";
/** How many pages of open questions are read without being asked for. */
const QUESTION_PAGES = 5;

export class World {
  state: WorldState = {
    questions: {},
    moreQuestions: "",
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
    /** Whose page it is, and the place from where on changes are followed: what is read now misses none. */
    readonly me: Me | null = null,
  ) {
    this.#after = me?.place ?? "";
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
      if (!signal.aborted && (await this.#isSignedInOtherwise())) return this.#set({ connection: "changed" });
    }
  }

  /** Whether the browser has another session now, in which what this page sends is refused or another person's. */
  async #isSignedInOtherwise(): Promise<boolean> {
    const now = await this.api.get<Me>("/api/me").catch(() => this.me); // the stream finds out what is wrong
    return identityOf(now) !== identityOf(this.me);
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
    const [questions, own, others] = await Promise.allSettled([
      this.#readQuestions("", QUESTION_PAGES),
      this.#readConversations("self", reread(listed, "self")),
      this.#readConversations("others", reread(listed, "others")),
    ]);
    const open = questions.status === "fulfilled" ? questions.value.items : [];
    const isWhole = questions.status === "fulfilled" && !questions.value.next;
    const kept = Object.entries(this.state.questions).filter(
      ([id, each]) => !isWhole || each.status !== "open" || each !== before[id],
    );
    const newer = (this.state.conversations?.rows ?? []).filter((each) => !listed?.rows.includes(each));
    const failed = [questions, own, others].find((each) => each.status === "rejected");
    this.#set({
      questions: { ...Object.fromEntries(kept), ...Object.fromEntries(open.map((each) => [each.id, each])) },
      moreQuestions: questions.status === "fulfilled" ? questions.value.next : this.state.moreQuestions,
      conversations:
        own.status === "fulfilled" && others.status === "fulfilled"
          ? newer.reduce(withRow, withPage(withPage(null, "self", own.value), "others", others.value))
          : this.state.conversations,
      problem: failed ? (failed.reason as Error) : null,
    });
  };

  /** Read the conversations that follow those of one's own, or of others, that were read. */
  readMoreConversations = async (whose: Whose): Promise<void> => {
    const before = this.state.conversations?.next[whose];
    if (!before) return;
    const page = await this.#readConversations(whose, { before });
    const { conversations } = this.state;
    if (conversations?.next[whose] === before) this.#set({ conversations: withPage(conversations, whose, page) });
  };

  /** Read the open questions that follow those that were read. */
  readMoreQuestions = async (): Promise<void> => {
    const after = this.state.moreQuestions;
    if (!after) return;
    const page = await this.#readQuestions(after, 1);
    if (this.state.moreQuestions !== after) return;
    this.#set({
      questions: { ...Object.fromEntries(page.items.map((each) => [each.id, each])), ...this.state.questions },
      moreQuestions: page.next,
    });
  };

  /** The open questions of a conversation, which may be younger than all that were read. */
  readQuestionsOf = async (conversation: string): Promise<void> => {
    const before = this.state.questions;
    const found = await this.api.get<Listed<QuestionDocument>>(
      `${QUESTIONS}&conversation=${encodeURIComponent(conversation)}`,
    );
    const known = this.state.questions;
    const newer = found.items.filter((each) => known[each.id] === before[each.id]);
    this.#set({ questions: { ...known, ...Object.fromEntries(newer.map((each) => [each.id, each])) } });
  };

  /** Open questions, oldest first: so many pages after a place. */
  async #readQuestions(after: string, pages: number): Promise<Listed<QuestionDocument>> {
    const path = after ? `${QUESTIONS}&after=${encodeURIComponent(after)}` : QUESTIONS;
    const page = await this.api.get<Listed<QuestionDocument>>(path);
    if (!page.next || pages === 1) return page;
    const rest = await this.#readQuestions(page.next, pages - 1);
    return { items: [...page.items, ...rest.items], next: rest.next };
  }

  #readConversations(whose: Whose, where: { before?: string; limit?: number }): Promise<Listed<ConversationDocument>> {
    return this.api.get(pagePath(whose, where));
  }

  #take({ id, event, data }: StreamEvent): void {
    if (id) this.#after = id;
    if (event === "run") {
      const row = data as RunRowDocument;
      this.#set({ runs: { ...this.state.runs, [row.run]: row } });
      this.resources.invalidate("/api/runs");
      if (row.conversation) this.resources.invalidate(pathTo("api", "conversations", row.conversation));
    } else if (event === "question") {
      const question = data as QuestionDocument;
      this.putQuestion(question);
      this.resources.invalidate("/api/questions");
      this.resources.invalidate(pathTo("api", "runs", question.run));
    } else if (event === "conversation") {
      const row = data as ConversationDocument;
      this.#set({ conversations: withRow(this.state.conversations ?? NONE_READ, row) });
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

function identityOf(me: Me | null): string {
  return JSON.stringify([me?.tenant, me?.name, me?.permissions, me?.csrf]);
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
