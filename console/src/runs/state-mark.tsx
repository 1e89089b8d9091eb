import { Icon, type IconName } from "../parts/icon";
import { STATUS_WORDS } from "../parts/words";
import type { RunStatus } from "../events";

const MARKS: Partial<Record<RunStatus, [IconName, "" | "need" | "fail" | "done", boolean]>> = {
  waiting: ["clock", "need", false],
  stalled: ["pause", "", false],
  scheduled: ["clock", "", false],
  queued: ["clock", "", false],
  open: ["link", "", false],
  done: ["check", "done", true],
  failed: ["x", "fail", true],
  cancelled: ["stop", "", false],
};

/** The state of a run as a mark. The word is there for those who do not see the mark. */
export function StateMark({ status, withWord = false }: { status: RunStatus; withWord?: boolean }) {
  const mark = MARKS[status];
  return (
    <>
      {mark ? <Icon name={mark[0]} tone={mark[1]} small={mark[2]} /> : <span className="spin" />}
      {!withWord && <span className="hide">{STATUS_WORDS[status]}</span>}
    </>
  );
}
