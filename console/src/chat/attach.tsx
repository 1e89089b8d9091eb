import { useRef } from "react";
import { Icon } from "../parts/icon";

/** Choose files that go with a message. */
export function AttachButton({ onChoose }: { onChoose: (files: File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="b bare"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => chooser.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          onChoose([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
