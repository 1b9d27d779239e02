// Files that editors do not follow, looked at once a second.

import { statSync } from "node:fs";
import type { Workspace } from "./workspace.ts";

/** How often files are looked at, in milliseconds. */
const interval = 1000;

/** Follows the files that checks read, and tells a workspace of changes on the disk. */
export type FollowFiles = (workspace: Pick<Workspace, "units" | "changed" | "deleted">) => {
  /** Checks may read other files now. */
  readonly update: () => void;
  readonly stop: () => void;
};

/** Follows files by their time and size. */
export const followFiles: FollowFiles = (workspace) => {
  const states = new Map<string, string>();
  const look = (): void => {
    for (const [path, before] of states) {
      const now = stateOf(path);
      if (now === before) continue;
      states.set(path, now);
      workspace[now === "" ? "deleted" : "changed"](path);
    }
  };
  const timer = setInterval(look, interval).unref();
  return {
    update() {
      const read = new Set(workspace.units().flatMap(({ dependencies }) => [...dependencies]));
      for (const path of states.keys()) if (!read.has(path)) states.delete(path);
      for (const path of read) if (!states.has(path)) states.set(path, stateOf(path));
    },
    stop: () => clearInterval(timer),
  };
};

/** What differs where a file is another one; empty where there is none, or none for us. */
function stateOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch {
    return ""; // its folder is not open to us
  }
}
