import { type DragEvent, type FormEvent, type KeyboardEvent, useState } from "react";
import { RefusedError } from "../api/api";
import { useServices } from "../app/context";
import { signInAddress } from "../app/sign-in";
import { FileChips } from "../parts/file";
import { Icon } from "../parts/icon";
import { Problem } from "../parts/notes";
import { readStored, writeStored } from "../parts/use-stored";
import type { FileDocument } from "../wire";
import { AttachButton } from "./attach";
import { useFiles } from "./use-files";

interface Props {
  /** What an unsent text is kept under: the conversation. */
  name: string;
  placeholder: string;
  spent?: string;
  /** Whether files can go with a message. */
  takesFiles?: boolean;
  onSend: (text: string, files: FileDocument[]) => Promise<void>;
  onStop?: (() => Promise<void>) | undefined;
}

/**
 * Where a person writes. Enter sends, Shift and Enter begin a new line. An unsent text survives a reload. While a run
 * works, which `onStop` ends, a conversation takes no message.
 */
export function Composer({ name, placeholder, spent, takesFiles = false, onSend, onStop }: Props) {
  const draft = `draft.${name}`;
  const [text, setText] = useState(() => readStored(draft, ""));
  const [error, setError] = useState<Error | null>(null);
  const { api } = useServices();
  const [isBusy, setBusy] = useState(false);
  const attached = useFiles();
  const isReady = (text.trim() !== "" || attached.files.length > 0) && !attached.isStoring && !isBusy;

  function write(value: string) {
    setText(value);
    writeStored(draft, value);
  }

  async function send(event?: FormEvent) {
    event?.preventDefault();
    const words = text.trim();
    if (!isReady || onStop) return;
    setBusy(true);
    setError(null);
    try {
      await onSend(words, attached.files);
      write("");
      attached.clear();
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error("It could not be sent."));
    } finally {
      setBusy(false);
    }
  }

  function stop() {
    setError(null);
    onStop?.().catch(setError);
  }

  function press(event: KeyboardEvent) {
    if (event.key === "Escape" && event.shiftKey) stop();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  }

  function drop(event: DragEvent) {
    if (!takesFiles) return;
    event.preventDefault();
    void attached.add([...event.dataTransfer.files]);
  }

  return (
    <form
      className="composer"
      aria-label="Message"
      onSubmit={(event) => void send(event)}
      onDragOver={(event) => takesFiles && event.preventDefault()}
      onDrop={drop}
    >
      {attached.files.length > 0 && <FileChips files={attached.files} onRemove={attached.remove} />}
      <textarea
        aria-label="Message"
        data-key="/"
        rows={1}
        placeholder={placeholder}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
        onPaste={(event) => takesFiles && void attached.add(event.clipboardData.files)}
      />
      <Problem text={attached.problem} />
      {error && (
        <p className="error" role="alert">
          {error instanceof RefusedError && error.status === 401 ? (
            <>
              You are signed out. Your words stay here. <a href={signInAddress(api)}>Sign in</a>
            </>
          ) : (
            error.message
          )}
        </p>
      )}
      <div>
        {takesFiles && <AttachButton onChoose={(files) => void attached.add(files)} />}
        <span className="meta grow" role="status">
          {attached.isStoring && "Stores the file…"}
          {!attached.isStoring && onStop && text.trim() && "You can send it when the answer is complete."}
        </span>
        {spent && <span className="meta wide">{spent}</span>}
        {onStop ? (
          <button type="button" className="b" onClick={stop}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button className="b yes" aria-label="Send" disabled={!isReady}>
            <Icon name="up" />
          </button>
        )}
      </div>
    </form>
  );
}
