// The common part of inputs that read files.

import { glob, stat, unlink } from "node:fs/promises";
import { abort } from "../concurrency/abort.ts";
import { sourceFrom } from "../conditions/blockage.ts";
import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Value } from "../message/value.ts";
import type { Logger } from "../process/log.ts";
import { machineFile } from "../process/machine-files.ts";
import { splitCommas } from "../text/trim.ts";
import type { Input, InputContext } from "./component.ts";
import { createRedelivery, type Redelivery, withReplay } from "./redelivery.ts";

/** Which files the input reads, and what it does with them afterwards. */
export interface FilesOptions {
  /** Paths and patterns; one text may contain several, separated by commas. */
  readonly paths: readonly string[];
  readonly auto_replay_nacks: boolean;
  readonly delete_on_finish: boolean;
}

/** Yields the messages of a file in batches that are acknowledged together; `metadata` identifies the file. */
export type ReadFile = (
  path: string,
  metadata: ReadonlyMap<string, Value>,
  log: Logger,
) => AsyncIterable<Batch>;

/**
 * Returns an input that reads files in the order of `paths`, and the matches of a pattern in the order of their
 * names. It reads the next batch when the previous one is confirmed, or held until more arrive. The input does not
 * store how far it has read: each start begins again with the first file. Like the reference engine, it skips the rest
 * of a file that is not what its reader expects; such a file is not deleted. A file that the system cannot read ends
 * the input.
 */
export function filesInput(options: FilesOptions, read: ReadFile): Input {
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function readFiles(files: readonly string[], context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context, sourceFrom({ path: "path" }));
    // A collected batch may contain messages of several files.
    const settling: Promise<void>[] = [];
    for (const path of files) {
      const isWhole = await deliverFile(path, redelivery, context.log);
      if (closing.signal.aborted) return;
      if (isWhole) context.log.debug("file read", { path });
      if (isWhole && options.delete_on_finish) settling.push(redelivery.settled().then(() => remove(path)));
      if (context.collectors?.isEmpty !== false) await settling.pop();
    }
    await Promise.all([redelivery.settled(), ...settling]);
    if (!closing.signal.aborted) context.reportEnd?.();
  }

  /** Returns whether the file could be read to its end. */
  async function deliverFile(path: string, redelivery: Redelivery, log: Logger): Promise<boolean> {
    const batches = read(machineFile(path), await metadataOf(path), log)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await nextBatch(batches, path, log);
        if (next === undefined || next.done === true) return next !== undefined;
        await redelivery.deliverNext(next.value, closing.signal);
        if (closing.signal.aborted) return false;
      }
    } finally {
      await batches.return?.();
    }
  }

  /** Keeps the file if the input is being stopped: it may not be completely delivered and is read again. */
  async function remove(path: string): Promise<void> {
    if (!closing.signal.aborted) await unlink(path);
  }

  return {
    async start(given) {
      const context = withReplay(given, options.auto_replay_nacks);
      const files = await findFiles(options.paths);
      running = readFiles(files, context).catch((error: unknown) => {
        context.log.error("file cannot be read", { error });
        context.beginOutage?.("file cannot be read");
      });
    },
    async close() {
      abort(closing);
      await running;
    },
  };
}

/** Returns `undefined` after an error in the content of the file, which it logs. Rejects with errors of the system. */
async function nextBatch(
  batches: AsyncIterator<Batch, unknown>,
  path: string,
  log: Logger,
): Promise<IteratorResult<Batch, unknown> | undefined> {
  try {
    return await batches.next();
  } catch (error) {
    if (error instanceof Error && "syscall" in error && !isFolder(error)) throw error;
    log.error("file cannot be read", { path, error });
    return undefined;
  }
}

function isFolder(error: Error): boolean {
  return "code" in error && error.code === "EISDIR";
}

async function metadataOf(path: string): Promise<ReadonlyMap<string, Value>> {
  const { mtime } = await stat(path);
  const seconds = Math.floor(mtime.getTime() / 1000);
  return new Map<string, Value>([
    ["path", path],
    ["mod_time_unix", seconds],
    ["mod_time", new Date(seconds * 1000).toISOString().replace(".000Z", "Z")],
  ]);
}

/** Returns the paths of all files, each once. Rejects if a path or pattern matches no file. */
async function findFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths.flatMap(splitCommas)) {
    const matches: string[] = [];
    for await (const match of glob(path)) matches.push(match);
    if (matches.length === 0) throw new GatewayError(500, `File ${path} not found`);
    found.push(...matches.sort());
  }
  return [...new Set(found)];
}
