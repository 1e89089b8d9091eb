import type { ReactNode } from "react";
import { useAct } from "../api/use-act";
import { Dialog } from "../parts/dialog";
import { Problem } from "../parts/notes";

/** Ask before something is removed for good. The children say what that does. */
export function RemoveDialog({
  title,
  path,
  concerns,
  yes,
  no,
  onClose,
  children,
}: {
  title: string;
  /** The address of what is removed. */
  path: string;
  /** What is read again afterwards. */
  concerns: string;
  yes: string;
  no: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { act, problem, isBusy } = useAct(concerns);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <Problem text={problem} />
      <div className="acts-row">
        <button
          className="b ruin"
          disabled={isBusy}
          onClick={() => void act("DELETE", path).then((done) => done !== null && onClose())}
        >
          {yes}
        </button>
        <button className="b" onClick={onClose}>
          {no}
        </button>
      </div>
    </Dialog>
  );
}
