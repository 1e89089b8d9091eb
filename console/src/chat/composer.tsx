import { type FormEvent, type KeyboardEvent, useState } from "react";
import { RefusedError } from "../api/api";
import { useServices } from "../app/context";
import { signInAddress } from "../app/sign-in";
import { Icon } from "../parts/icon";
import { readStored, writeStored } from "../parts/use-stored";

interface Props {
  /** What an unsent text is kept under: the conversation. */
  name: string;
  placeholder: string;
  spent?: string;
  onSend: (text: string) => Promise<void>;
  onStop?: (() => void) | undefined;
}

/**
 * Where a person writes. Enter sends, Shift and Enter begin a new line. An unsent text survives a reload. While a run
 * works, which `onStop` ends, a conversation takes no message.
 */
export function Composer({ name, placeholder, spent, onSend, onStop }: Props) {
  const draft = `draft.${name}`;
  const [text, setText] = useState(() => readStored(draft, ""));
  const [error, setError] = useState<Error | null>(null);
  const { api } = useServices();
  const [isBusy, setBusy] = useState(false);

  function write(value: string) {
    setText(value);
    writeStored(draft, value);
  }

  async function send(event?: FormEvent) {
    event?.preventDefault();
    const words = text.trim();
    if (!words || isBusy || onStop) return;
    setBusy(true);
    setError(null);
    try {
      await onSend(words);
      write("");
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error("It could not be sent."));
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

  return (
    <form className="composer" aria-label="Message" onSubmit={(event) => void send(event)}>
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
        <span className="meta grow">{onStop && text.trim() && "You can send it when the answer is complete."}</span>
        {spent && <span className="meta wide">{spent}</span>}
        {onStop ? (
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
