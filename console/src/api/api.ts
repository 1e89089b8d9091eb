/** The door to the server. Screens know this interface alone; stories put recorded data behind it. */
import type { FileDocument, Problem } from "../wire";

export interface StreamEvent {
  id: string;
  event: string;
  data: unknown;
}

export interface StreamOptions {
  method?: "GET" | "POST";
  body?: unknown;
  after?: string;
  signal: AbortSignal;
  onOpen?: () => void;
  onEvent: (event: StreamEvent) => void;
}

export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown, key?: string): Promise<T>;
  /** Store a file, and return its reference. */
  upload(file: File): Promise<FileDocument>;
  /** Read server-sent events until the server ends them. Throws a `NetworkError` if the connection was lost. */
  stream(path: string, options: StreamOptions): Promise<void>;
  /** The address of a path, for links and frames. */
  url(path: string): string;
}

/** The server refused a request. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
    readonly document: unknown = null,
  ) {
    super(problem.error);
  }
}

/** The server did not answer. */
export class NetworkError extends Error {}

/** A path with a query of those parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}
