/** The API over recorded data, in memory. It answers as the server does, and tells what changes. */
import { type Api, NetworkError, RefusedError, type StreamEvent, type StreamOptions } from "../api/api";
import type { ChooseModel, ModelDocument, Listed, NewDecision, QuestionDocument, RunDocument } from "../wire";
import { NOW, summary } from "./build";
import {
  CONVERSATIONS,
  FILES,
  GRANTS,
  MEMORY,
  ME,
  MODEL,
  NO_MODEL,
  PEOPLE,
  POLICY,
  ROLES,
  TOKENS,
  TOOLS,
  USAGE,
} from "./data";
import { ALL, LONG, STATES } from "./questions";
import { LONG_RUN, MANY_RUNS } from "./long";
import { RUNS } from "./runs";
import { STREAM } from "./stream";
import { DETAILS, EVENTS, ITEMS, REPLAY, ROWS } from "./views";

/** `long`: hundreds of runs, and one with hundreds of calls. */
export type Scenario = "full" | "empty" | "loading" | "error" | "away" | "long";

type Route = [RegExp, (found: string[], query: URLSearchParams) => unknown];

export function fakeApi(
  scenario: Scenario = "full",
  { writesSlowly = true } = {},
): Api & { tell: (event: string, data: unknown) => void } {
  const questions = new Map([...ALL, LONG, ...Object.values(STATES)].map((each) => [each.id, each]));
  const listeners = new Set<(event: StreamEvent) => void>();
  const isEmpty = scenario === "empty";
  const runs = scenario === "long" ? [LONG_RUN, ...MANY_RUNS] : RUNS;
  let place = 0;
  let model = isEmpty ? NO_MODEL : MODEL;
  const tell = (event: string, data: unknown) => {
    place += 1;
    listeners.forEach((listener) => listener({ id: String(place), event, data }));
  };
  const listed = <T>(items: T[]): Listed<T> => ({ items: isEmpty ? [] : items, next: "" });
  const one = <T>(items: T[], test: (item: T) => boolean): T => {
    const found = items.find(test);
    if (!found) throw new RefusedError(404, { error: "There is nothing here.", code: "REQUEST_NOT_FOUND" });
    return found;
  };

  const routes: Route[] = [
    [/^\/api\/me$/, () => ME],
    [/^\/api\/model$/, () => model],
    [
      /^\/api\/runs$/,
      (_, query) =>
        listed(runs.map(summary).filter((each) => !query.get("status") || each.status === query.get("status"))),
    ],
    [
      /^\/api\/runs\/([^/]+)$/,
      ([id]) =>
        withQuestions(
          one(runs, (each) => each.run === id),
          questions,
        ),
    ],
    [/^\/api\/runs\/([^/]+)\/items$/, () => listed(ITEMS)],
    [/^\/api\/runs\/([^/]+)\/replay$/, () => REPLAY],
    [
      /^\/api\/conversations$/,
      (_, query) =>
        listed(
          CONVERSATIONS.map((each) => each.conversation).filter(
            (each) => (each.owner === ME.name) === (query.get("owner") === "self"),
          ),
        ),
    ],
    [/^\/api\/conversations\/[^/]+\/files$/, () => listed(FILES)],
    [/^\/api\/conversations\/[^/]+\/memory$/, () => listed(MEMORY)],
    [/^\/api\/conversations\/([^/]+)$/, ([id]) => one(CONVERSATIONS, (each) => each.conversation.conversation === id)],
    [
      /^\/api\/questions$/,
      (_, query) =>
        listed(
          [...questions.values()].filter((each) => {
            const status = query.get("status");
            return status === "all" || (each.status === "open") === (status !== "settled");
          }),
        ),
    ],
    [/^\/api\/questions\/([^/]+)$/, ([id]) => one([...questions.values()], (each) => each.id === id)],
    [/^\/api\/people$/, () => listed(PEOPLE)],
    [/^\/api\/people\/[^/]+\/tokens$/, () => listed(TOKENS)],
    [/^\/api\/roles$/, () => listed(ROLES)],
    [/^\/api\/tools$/, () => listed(TOOLS)],
    [/^\/api\/tools\/([^/]+)$/, ([name]) => one(TOOLS, (each) => each.name === name)],
    [/^\/api\/policy$/, () => POLICY],
    [/^\/api\/grants$/, () => listed(GRANTS)],
    [
      /^\/api\/schedules$/,
      () =>
        listed(RUNS.slice(3, 4).map((each) => ({ ...summary(each), status: "scheduled" as const, due: NOW + 9000 }))),
    ],
    [/^\/api\/usage$/, () => USAGE],
    [
      /^\/api\/events\/([^/]+)$/,
      ([kind], query) => {
        const [start, end] = ["start", "end"].map((name) => Number(query.get(name)));
        return listed((EVENTS[kind!] ?? []).filter((each) => each.at >= start! && each.at < end!));
      },
    ],
    [/^\/api\/views\/([^/]+)$/, ([kind]) => listed(ROWS[kind!] ?? [])],
    [/^\/api\/views\/([^/]+)\/([^/]+)$/, ([kind]) => DETAILS[kind!]],
  ];

  function decide(id: string, request: NewDecision): QuestionDocument {
    const known = one([...questions.values()], (each) => each.id === id);
    if (known.status !== "open")
      throw new RefusedError(409, { error: "It is settled.", code: "REQUEST_CONFLICT" }, known);
    const decision = {
      approved: request.approved,
      by: ME.name,
      kind: request.kind ?? "approve",
      at: Date.now() / 1000,
      reason: request.reason ?? "",
      arguments: request.arguments ? JSON.stringify(request.arguments) : "",
      grant: "",
    };
    const settled: QuestionDocument = { ...known, status: request.approved ? "approved" : "denied", decision };
    questions.set(id, settled);
    tell("question", settled);
    return settled;
  }

  return {
    tell,
    url: (path) => path,
    async get<T>(path: string) {
      if (scenario === "loading" && path !== "/api/me") return new Promise<T>(() => undefined);
      if (scenario === "error" && path !== "/api/me")
        throw new RefusedError(500, { error: "The journal could not be read.", code: "" });
      const [name = "", query = ""] = path.split("?");
      for (const [pattern, answer] of routes) {
        const found = pattern.exec(name);
        if (found)
          return (await Promise.resolve(
            answer(found.slice(1).map(decodeURIComponent), new URLSearchParams(query)),
          )) as T;
      }
      throw new RefusedError(404, { error: "There is nothing here.", code: "REQUEST_NOT_FOUND" });
    },
    async send<T>(method: string, path: string, body?: unknown) {
      const decision = /^\/api\/questions\/([^/]+)\/decision$/.exec(path);
      if (decision) return decide(decodeURIComponent(decision[1]!), body as NewDecision) as T;
      if (path.startsWith("/api/model")) return (model = changeModel(model, method, path, body)) as T;
      const made = MADE.find(([pattern]) => pattern.test(path));
      if (made) return made[1] as T;
      return {
        run: "r1",
        status: "done",
        questions: [],
        reason: "",
        error: "",
        code: "",
        result: { revision: 8 },
      } as T;
    },
    async upload(file: File) {
      return { digest: `sha256:${"0".repeat(64)}`, name: file.name, mediaType: file.type, size: file.size };
    },
    async stream(path: string, { signal, onOpen, onEvent }: StreamOptions) {
      if (scenario === "away") throw new NetworkError("The server does not answer.");
      onOpen?.();
      if (path === "/api/watch") {
        listeners.add(onEvent);
        onEvent({ id: "0", event: "start", data: { after: "0" } });
      } else {
        for (const [index, data] of STREAM.entries()) {
          if (writesSlowly) await new Promise((resolve) => setTimeout(resolve, 45));
          if (signal.aborted) return;
          onEvent({ id: `r3|${index}`, event: "message", data });
        }
      }
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      listeners.delete(onEvent);
    },
  };
}

/** What the server makes, by its address. */
const MADE: [RegExp, unknown][] = [
  [/\/link$/, { path: "/login/link?secret=s3cret" }],
  [/\/tokens$/, { token: TOKENS[0], secret: "remit_s3cret" }],
  [/^\/api\/people$/, PEOPLE[2]],
  [/\/share$/, { ...CONVERSATIONS[0]!.conversation, shares: [{ principal: "Marta Amsel", access: "read" }] }],
];

function changeModel(model: ModelDocument, method: string, path: string, body: unknown): ModelDocument {
  const { name = "", key = "" } = (body ?? {}) as Partial<ChooseModel>;
  if (path.endsWith("/weights")) {
    const state = method === "POST" ? "fetching" : "stopped";
    return { ...model, weights: model.weights.map((each) => ({ ...each, state, done: each.size / 2 })) };
  }
  if (method === "DELETE") return { ...NO_MODEL, weights: model.weights };
  if (key === "wrong") throw new RefusedError(400, { error: "The provider refuses the key.", code: "BAD_REQUEST" });
  const isScript = name === "rehearsal";
  const source = isScript ? "rehearsal" : "chosen";
  return { ...MODEL, name, description: name, source, isScript, keySource: key && MODEL.keySource };
}

function withQuestions(document: RunDocument, questions: Map<string, QuestionDocument>): RunDocument {
  return { ...document, questions: document.questions.map((each) => questions.get(each.id) ?? each) };
}
