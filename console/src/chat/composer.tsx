import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { useServices } from "../app/context";
import { Icon } from "../parts/icon";
import { readStored, writeStored } from "../parts/use-stored";
import type { FileDocument } from "../wire";

interface Props {
  /** What an unsent text is kept under: the conversation. */
  name: string;
  placeholder: string;
  note: string;
  spent?: string;
  onSend: (text: string, files: FileDocument[]) => Promise<void>;
  onStop?: (() => void) | undefined;
}

/** Where a person writes. Enter sends, Shift and Enter begin a new line. An unsent text survives a reload. */
export function Composer({ name, placeholder, note, spent, onSend, onStop }: Props) {
  const draft = `draft.${name}`;
  const { api } = useServices();
  const [text, setText] = useState(() => readStored(draft, ""));
  const [files, setFiles] = useState<FileDocument[]>([]);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const picker = useRef<HTMLInputElement>(null);

  function write(value: string) {
    setText(value);
    writeStored(draft, value);
  }

  async function send(event?: FormEvent) {
    event?.preventDefault();
    const words = text.trim();
    if (!words || isBusy) return;
    setBusy(true);
    setError("");
    try {
      await onSend(words, files);
      write("");
      setFiles([]);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be sent.");
    } finally {
      setBusy(false);
    }
  }

  function press(event: KeyboardEvent) {
    if (event.key === "Escape" && event.shiftKey) onStop?.();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  }

  async function attach(list: FileList | null) {
    try {
      for (const file of list ?? []) {
        const stored = await api.upload<FileDocument>(file);
        setFiles((before) => [...before, stored]);
      }
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "The file could not be stored.");
    }
  }

  return (
    <form className="composer" aria-label="Message" onSubmit={(event) => void send(event)}>
      {files.length > 0 && (
        <ul className="attached" aria-label="Files">
          {files.map((file) => (
            <li className="chip" key={file.digest}>
              <Icon name="clip" />
              {file.name}
              <button
                type="button"
                aria-label={`Remove ${file.name}`}
                onClick={() => setFiles(files.filter((each) => each !== file))}
              >
                <Icon name="x" small />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        aria-label="Message"
        data-key="/"
        rows={1}
        placeholder={placeholder}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
      />
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div>
        <input ref={picker} type="file" multiple hidden onChange={(event) => void attach(event.target.files)} />
        <button type="button" className="b bare" aria-label="Attach a file" onClick={() => picker.current?.click()}>
          <Icon name="clip" />
        </button>
        <span className="meta grow">{note}</span>
        {spent && <span className="meta wide">{spent}</span>}
        {onStop && !text.trim() ? (
          <button type="button" className="b" onClick={onStop}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button className="b yes" aria-label="Send" disabled={!text.trim() || isBusy}>
            <Icon name="up" />
          </button>
        )}
      </div>
    </form>
  );
}
