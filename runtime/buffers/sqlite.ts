import type { Buffer, InputContext } from "../component/component.ts";
import { notConnected } from "../component/persistence.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { createRedelivery } from "../component/redelivery.ts";
import { abort } from "../concurrency/abort.ts";
import { pause } from "../concurrency/backoff.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { createSourceFailures, type SourceFailures } from "../failures/source-failures.ts";
import { type BatchFile, type KeptBatch, openBatchFile } from "./batch-file.ts";
import { type SqliteBufferOptions, sqliteBufferDefaults } from "./generated/sqlite-buffer-options.ts";

/** The maximum number of concurrent deliveries. */
const inFlightLimit = 64;
/** Milliseconds before a failed read or write of the file is retried. */
const readAgainAfter = 1_000;

/** By path, the callbacks of this process's buffers on a file. They are called when one of these buffers closes. */
const neighbours = /* @__PURE__ */ new Map<string, Set<() => void>>();

/**
 * Keeps batches in a SQLite file until they are delivered. A batch is acknowledged when it is on the disk, and removed
 * when it is delivered. A batch whose delivery is interrupted by a crash is delivered again. Closing only waits for
 * deliveries in progress.
 */
export function sqliteBuffer(options: SqliteBufferOptions): Buffer {
  const { path, pre_processors: before, post_processors: after } = { ...sqliteBufferDefaults, ...options };
  const closing = new AbortController();
  let turns = new Semaphore(inFlightLimit);
  let file: BatchFile | undefined;
  let context: InputContext | undefined;
  let running: Promise<void> | undefined;
  let last = 0;
  let hasMore = true;
  let wake = (): void => {};
  let whenIdle: (() => void)[] = [];

  function readOn(): void {
    hasMore = true;
    wake();
  }

  /** Called when another buffer of this process has closed the file and may have left batches in it. */
  function adopt(): void {
    // The adopted batches may have lower numbers than the last batch that was read.
    if (file?.adopt() !== true) return;
    last = 0;
    readOn();
  }

  async function run(given: InputContext, from: BatchFile): Promise<void> {
    const underWay = new Set<number>();
    const reading = createSourceFailures("reading the buffer", given);
    const removing = createSourceFailures("removing delivered messages from the buffer", { log: given.log });
    while (!closing.signal.aborted) {
      const kept = readNext(reading, from, underWay);
      if (kept === "failed") await pause(readAgainAfter, closing.signal);
      else if (kept === undefined) await nothingMore(underWay);
      else {
        await turns.acquire(1);
        underWay.add(kept.id);
        void deliver(kept, given, () => remove(kept.id, removing, from)).then((isDone) => {
          underWay.delete(kept.id);
          turns.release(1);
          if (!isDone) readAgain(kept.id);
          else if (underWay.size === 0) wake();
        });
      }
    }
  }

  function readNext(
    failures: SourceFailures,
    from: BatchFile,
    underWay: ReadonlySet<number>,
  ): KeptBatch | "failed" | undefined {
    if (!hasMore) return undefined;
    try {
      for (;;) {
        const kept = from.nextAfter(last);
        failures.succeeded();
        hasMore = kept !== undefined;
        if (kept === undefined) return undefined;
        last = kept.id;
        if (!underWay.has(kept.id)) return kept;
      }
    } catch (error) {
      failures.failed(error);
      return "failed";
    }
  }

  async function nothingMore(underWay: ReadonlySet<number>): Promise<void> {
    if (underWay.size === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }

  /** Resolves with whether the batch was delivered; if not, it stays in the file. */
  async function deliver(
    { batch }: KeptBatch,
    given: InputContext,
    onDelivered: () => Promise<void>,
  ): Promise<boolean> {
    try {
      for (const part of await runProcessors(after, [batch], given)) {
        const delivered = await createRedelivery(given).deliver(part, closing.signal);
        if (delivered === undefined) return false;
      }
    } catch (error) {
      const failure = describeFailure(toGatewayError(error, 500, "Internal error"));
      given.log.error("buffered messages were not delivered, they stay in the file", { ...failure, error });
      await pause(readAgainAfter, closing.signal);
      return false;
    }
    await onDelivered();
    return true;
  }

  /**
   * Removes a delivered batch, and retries until it succeeds: a full disk also prevents removal. Meanwhile the batch is
   * not delivered again, unless the process ends.
   */
  async function remove(id: number, failures: SourceFailures, from: BatchFile): Promise<void> {
    for (;;) {
      try {
        from.remove(id);
        return failures.succeeded();
      } catch (error) {
        failures.failed(error);
      }
      if (closing.signal.aborted) return;
      await pause(readAgainAfter, closing.signal);
    }
  }

  function readAgain(id: number): void {
    last = Math.min(last, id - 1);
    readOn();
  }

  function stop(): void {
    abort(closing);
    wake();
  }

  return {
    async open(given) {
      context = given;
      turns = new Semaphore(inFlightLimit, given.collectors);
      const opened = openBatchFile(path);
      file = opened;
      given.signal.addEventListener("abort", stop, { once: true });
      const sharing = neighbours.get(path) ?? new Set();
      neighbours.set(path, sharing.add(adopt));
      running = run(given, opened);
    },
    async write(batch) {
      if (file === undefined || context === undefined) throw notConnected();
      file.add(await runProcessors(before, [batch], context));
      readOn();
      return {};
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        wake();
      }),
    async close() {
      stop();
      await running;
      await turns.idle();
      await closeProcessors([...before, ...after]);
      const sharing = neighbours.get(path);
      sharing?.delete(adopt);
      if (sharing?.size === 0) neighbours.delete(path);
      file?.close();
      file = undefined;
      for (const notify of sharing ?? []) notify();
    },
  };
}
