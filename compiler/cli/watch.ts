// Records the files that a compilation reads, and detects changes to them.

import { stat } from "node:fs/promises";
import { watch } from "chokidar";
import { type FileSystem, nodeFileSystem } from "../parse/document/file-system.ts";

/** The files and folders that were read or looked for, and whether the last attempt found each. */
export type ReadPaths = Map<string, boolean>;

/** A file system that records which paths were read or looked for. */
export interface RecordingFileSystem {
  readonly fileSystem: FileSystem;
  readonly paths: ReadPaths;
}

/** Reads files of the machine. Records paths that could not be read, too: they may be created later. */
export function createRecordingFileSystem(): RecordingFileSystem {
  const paths = new Map<string, boolean>();
  async function record<T>(path: string, reading: Promise<T>): Promise<T> {
    paths.set(path, false);
    const content = await reading;
    paths.set(path, true);
    return content;
  }
  return {
    paths,
    fileSystem: {
      ...nodeFileSystem,
      readFile: (path, limit) => record(path, nodeFileSystem.readFile(path, limit)),
      list: (folder) => record(folder, nodeFileSystem.list(folder)),
    },
  };
}

/**
 * Calls `work`, and again after each change of a file in `paths`, to which `work` adds the files it reads.
 * Calls do not overlap, and a change during a call is not lost. Resolves when `signal` aborts.
 */
export async function repeatOnChange(
  paths: ReadPaths,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const started = Date.now();
    await work();
    await nextChange(paths, started, signal);
  }
}

/** Resolves when a file has changed after the time `since`, or when `signal` aborts. */
async function nextChange(paths: ReadPaths, since: number, signal: AbortSignal): Promise<void> {
  const watcher = watch([...paths.keys()], {
    ignoreInitial: true,
    depth: 0,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 20 },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      watcher.on("error", (error) => {
        if (!isOfOnePath(error)) reject(error);
      });
      watcher.on("all", (event, path) => {
        // A folder is watched for files that appear and disappear; changes of its other files do not matter.
        if (event !== "change" || paths.has(path)) resolve();
      });
      watcher.on("ready", () => {
        // The files were not watched between reading them and now.
        hasChanged(paths, since).then((changed) => changed && resolve(), reject);
      });
    });
  } finally {
    await watcher.close();
  }
}

/**
 * Whether an error concerns one path, such as a link to itself beside the documents, rather than the watching. A document
 * that cannot be read is reported when it is compiled.
 */
function isOfOnePath(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ELOOP" || code === "EACCES" || code === "EPERM" || code === "ENOTDIR";
}

/** Maximum delay of the file system's clock in milliseconds. */
const clockSlack = 10;

async function hasChanged(paths: ReadPaths, since: number): Promise<boolean> {
  const answers = await Promise.all(
    Array.from(paths, async ([path, wasFound]) => {
      const found = await stat(path).catch(() => undefined);
      // A rename changes only `ctime`.
      if (found !== undefined) return found.ctimeMs > since - clockSlack;
      // The watcher detects files that appear. One that is gone is a change only once, although it may not be read again.
      paths.set(path, false);
      return wasFound;
    }),
  );
  return answers.includes(true);
}
