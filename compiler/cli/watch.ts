// Which files a compilation read, and when one of them changes.

import { stat } from "node:fs/promises";
import { watch } from "chokidar";
import { type FileSystem, nodeFileSystem } from "../parse/document/file-system.ts";

/** The machine's files, remembering what was read or looked for. */
export interface RecordingFileSystem {
  readonly fileSystem: FileSystem;
  readonly paths: ReadonlySet<string>;
}

/** Reads from the machine's files. Paths that could not be read count too: they may come to be. */
export function createRecordingFileSystem(): RecordingFileSystem {
  const paths = new Set<string>();
  return {
    paths,
    fileSystem: {
      ...nodeFileSystem,
      readFile(path, limit) {
        paths.add(path);
        return nodeFileSystem.readFile(path, limit);
      },
      list(folder) {
        paths.add(folder);
        return nodeFileSystem.list(folder);
      },
    },
  };
}

/**
 * Calls `work`, and again after each change of a file in `paths`, to which `work` itself adds what it reads.
 * One call at a time; a change that happens meanwhile is never lost. Resolves once `signal` aborts.
 */
export async function repeatOnChange(
  paths: ReadonlySet<string>,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const started = Date.now();
    await work();
    await nextChange(paths, started, signal);
  }
}

/** Resolves when a file has changed after the moment `since`, or `signal` aborts. */
async function nextChange(paths: ReadonlySet<string>, since: number, signal: AbortSignal): Promise<void> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    depth: 0,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 20 },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      watcher.on("error", reject);
      watcher.on("all", (event, path) => {
        // A folder is watched for files that appear and disappear; changes of its other files do not matter.
        if (event !== "change" || paths.has(path)) resolve();
      });
      watcher.on("ready", () => {
        // It was not watched between the reading and now.
        hasChanged(paths, since).then((changed) => changed && resolve(), reject);
      });
    });
  } finally {
    await watcher.close();
  }
}

/** How far the clock of the file system may be behind, in milliseconds. */
const clockSlack = 10;

async function hasChanged(paths: ReadonlySet<string>, since: number): Promise<boolean> {
  const stats = await Promise.all([...paths].map((path) => stat(path).catch(() => undefined)));
  // A file that is gone, or was never there, is the watcher's to notice; a rename shows in `ctime` alone.
  return stats.some((each) => each !== undefined && each.ctimeMs > since - clockSlack);
}
