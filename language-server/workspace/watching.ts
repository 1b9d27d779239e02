// Watches files for editors that cannot, by checking them once per second.

import { statSync } from "node:fs";
import type { Workspace } from "./workspace.ts";

/** Milliseconds between two checks of the files. */
const interval = 1000;

/** Watches the files that checks read, and reports changes on disk to a workspace. */
export type FollowFiles = (workspace: Pick<Workspace, "units" | "changed" | "deleted">) => {
  /** Called when checks may have read other files. */
  readonly update: () => void;
  readonly stop: () => void;
};

/** Detects changes by the time and size of the files. */
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

/** Returns a text that changes when the file does; empty if the file is missing or not accessible. */
function stateOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch {
    return ""; // we have no access to its folder
  }
}
