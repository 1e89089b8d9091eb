import type { IconName } from "../parts/icon";
import type { ViewDocument } from "../wire";

/** The icon of a view, by which the rail and the lists tell views apart. */
export function iconOf(view: ViewDocument | undefined): IconName {
  if (view?.hasEvents) return "clock";
  return view?.hasChanges ? "changes" : "file";
}
