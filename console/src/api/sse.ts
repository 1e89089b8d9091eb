import { NetworkError, type StreamOptions } from "./api";

/** Read the events of a stream. An event ends with an empty line; comments keep the connection open. */
export async function readEvents(answer: Response, { signal, onEvent }: StreamOptions): Promise<void> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value.replaceAll("\r\n", "\n");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const block = rest.slice(0, end);
        rest = rest.slice(end + 2);
        emit(block, onEvent);
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NetworkError("The connection was lost.");
  }
}

function emit(block: string, onEvent: StreamOptions["onEvent"]): void {
  const fields = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") fields.data += fields.data ? `\n${value}` : value;
    else if (name === "id" || name === "event") fields[name] = value;
  }
  if (fields.data) onEvent({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) as unknown });
}
