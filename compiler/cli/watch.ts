// Which files a compilation read, and when one of them changes.

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
 * Calls `changed` after each change of a file, one call at a time; files that `changed` itself adds to
 * `paths` are watched from then on. Gives back how to stop.
 */
export function watchFiles(paths: ReadonlySet<string>, changed: () => Promise<void>): () => Promise<void> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 20 },
  });
  let working: Promise<void> | undefined;
  let again = false;
  const work = async (): Promise<void> => {
    do {
      again = false;
      await changed();
      watcher.add([...paths]);
    } while (again);
    working = undefined;
  };
  watcher.on("all", () => {
    if (working === undefined) working = work();
    else again = true;
  });
  return async () => {
    await watcher.close();
    await working;
  };
}
