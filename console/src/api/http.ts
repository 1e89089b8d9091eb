import type { FileDocument, Problem } from "../wire";
import { type Api, NetworkError, RefusedError, type StreamOptions, withQuery } from "./api";
import { readEvents } from "./sse";

/** The API over HTTP, below the address of the console's base. */
export function httpApi(base: string = document.baseURI): Api & { csrf: string } {
  const url = (path: string) => new URL(path.replace(/^\//, ""), base).href;

  async function ask(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (init.method && init.method !== "GET" && api.csrf) headers.set("X-CSRF-Token", api.csrf);
    const answer = await fetch(url(path), { ...init, headers, credentials: "same-origin" }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new NetworkError("The server does not answer.");
    });
    if (!answer.ok) await refuse(answer);
    return answer;
  }

  const api: Api & { csrf: string } = {
    csrf: "",
    url,
    async get<T>(path: string, signal?: AbortSignal) {
      const answer = await ask(path, { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) });
      return parse(await readText(answer)) as T;
    },
    async send<T>(method: string, path: string, body?: unknown, key?: string) {
      const headers: Record<string, string> = { accept: "application/json" };
      if (body !== undefined) headers["content-type"] = "application/json";
      if (key) headers["idempotency-key"] = key;
      const answer = await ask(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return parse(await readText(answer)) as T;
    },
    async upload(file: File) {
      const path = withQuery("/api/files", { name: file.name, mediaType: file.type });
      const headers = { accept: "application/json", "content-type": "application/octet-stream" };
      const answer = await ask(path, { method: "POST", headers, body: file });
      return parse(await readText(answer)) as FileDocument;
    },
    async stream(path: string, options: StreamOptions) {
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (options.after) headers["last-event-id"] = options.after;
      if (options.body !== undefined) headers["content-type"] = "application/json";
      const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
      const answer = await ask(path, { method: options.method ?? "GET", headers, signal: options.signal, ...body });
      options.onOpen?.();
      await readEvents(answer, options);
    },
  };
  return api;
}

/** The body of an answer. One that breaks off is no answer. */
async function readText(answer: Response): Promise<string> {
  return answer.text().catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new NetworkError("The connection was lost.");
  });
}

function parse(text: string): unknown {
  return text ? JSON.parse(text) : null;
}

async function refuse(answer: Response): Promise<never> {
  const body: unknown = await answer.json().catch(() => null);
  const problem = body as Partial<Problem> | null;
  const error = problem?.error ?? `The server answered with ${answer.status}.`;
  throw new RefusedError(answer.status, { error, code: problem?.code ?? "" }, body);
}
