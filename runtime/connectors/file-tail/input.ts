// Reads the lines of a file that other programs write, rename and truncate.

import { type FileHandle, open, stat } from "node:fs/promises";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { pause } from "../../concurrency/backoff.ts";
import { DeliveryWindow, singly } from "../../concurrency/delivery-window.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError } from "../../errors.ts";
import { Message } from "../../message/message.ts";
import { machineFile } from "../../process/machine-files.ts";
import { type FileTailInputOptions, fileTailInputDefaults } from "./generated/input-options.ts";

/** A line without its line end, and the position of the next line. */
interface TailedLine {
  readonly bytes: Buffer;
  readonly position: number;
}

/** How a file is followed. */
interface Following {
  /** Milliseconds between checks of the file. */
  readonly pollInterval: number;
  /** Milliseconds before an unreadable file is tried again. */
  readonly retryPause: number;
  /** Largest size of a line, in bytes. */
  readonly longest: number;
  /** Aborted to stop following. */
  readonly signal: AbortSignal;
  readonly context: Pick<InputContext, "log" | "beginOutage">;
}

/** Number of bytes per read. */
const chunkSize = 65_536;

/** Opens a file for reading; rejects with a `GatewayError` if that fails. */
async function openFollowed(path: string): Promise<FileHandle> {
  try {
    return await open(machineFile(path), "r");
  } catch (error) {
    throw new GatewayError(500, `File ${path} cannot be read`, { cause: error });
  }
}

/**
 * Yields the lines of the file from a position on, and of the files that replace it, until `signal` is aborted. Waits
 * for the end of an incomplete line, unless the file has been replaced. Skips a line that is too long.
 */
async function* followFile(path: string, from: number, following: Following): AsyncGenerator<TailedLine> {
  const { signal, pollInterval, context } = following;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const file = await openPatiently(path, following);
    if (file === undefined) return;
    try {
      const lines = new LineCutter(isFirst ? from : 0, following);
      for (let isReplaced = false; !signal.aborted; ) {
        for (let read = await lines.read(file); read > 0 && !signal.aborted; read = await lines.read(file))
          yield* lines.take();
        if (isReplaced) {
          yield* lines.rest();
          break;
        }
        await pause(pollInterval, signal);
        const state = await compare(file, path, lines.end);
        if (state === "cut off") lines.begin();
        // Lines that were written to the old file before it was renamed are read first.
        isReplaced = state === "replaced";
        if (state !== "same") context.log.info(`the file is ${state}`, { path });
      }
    } finally {
      await file.close();
    }
  }
}

/** Opens the file; waits while it is missing. Returns `undefined` when `signal` is aborted. */
async function openPatiently(
  path: string,
  { retryPause, signal, context }: Following,
): Promise<FileHandle | undefined> {
  let endOutage: ReturnType<NonNullable<InputContext["beginOutage"]>> | undefined;
  for (;;) {
    try {
      const file = await openFollowed(path);
      endOutage?.();
      return file;
    } catch (error) {
      if (endOutage === undefined) context.log.warn("file cannot be read", { path, error });
      endOutage ??= context.beginOutage?.("file cannot be read");
      await pause(retryPause, signal);
      if (signal.aborted) return undefined;
    }
  }
}

/** Returns the state of an open file. A missing name counts as unchanged: the file may get its name back. */
async function compare(
  file: FileHandle,
  path: string,
  position: number,
): Promise<"same" | "replaced" | "cut off"> {
  const own = await file.stat({ bigint: true });
  const named = await stat(path, { bigint: true }).catch(() => undefined);
  if (named !== undefined && (named.ino !== own.ino || named.dev !== own.dev)) return "replaced";
  return own.size < BigInt(position) ? "cut off" : "same";
}

/** Splits the data of a file into lines. */
class LineCutter {
  readonly #following: Following;
  readonly #chunk = Buffer.allocUnsafe(chunkSize);
  #known = Buffer.alloc(0);
  #start: number;
  /** Whether the current line is too long, and skipped up to its end. */
  #skips = false;

  constructor(start: number, following: Following) {
    this.#start = start;
    this.#following = following;
  }

  /** The position of the first byte that was not read yet. */
  get end(): number {
    return this.#start + this.#known.length;
  }

  /** Reads the next bytes; returns their number. */
  async read(file: FileHandle): Promise<number> {
    const { bytesRead } = await file.read(this.#chunk, 0, chunkSize, this.end);
    this.#known = Buffer.concat([this.#known, this.#chunk.subarray(0, bytesRead)]);
    return bytesRead;
  }

  /** Yields the complete lines. */
  *take(): Generator<TailedLine> {
    for (let end = this.#known.indexOf(10); end !== -1; end = this.#known.indexOf(10)) {
      const line = this.#known.subarray(0, end);
      this.#pass(end + 1);
      if (!this.#skips) yield* this.#lineOf(line);
      this.#skips = false;
    }
    if (this.#known.length <= this.#following.longest + 1) return;
    if (!this.#skips) this.#reportLong();
    this.#skips = true;
    this.#pass(this.#known.length);
  }

  /** Yields the rest after the last line end, once nothing more is written. */
  *rest(): Generator<TailedLine> {
    const line = this.#known;
    this.#pass(line.length);
    if (!this.#skips) yield* this.#lineOf(line);
  }

  /** Starts again at the beginning of the file. */
  begin(): void {
    this.#start = 0;
    this.#known = Buffer.alloc(0);
    this.#skips = false;
  }

  *#lineOf(line: Buffer): Generator<TailedLine> {
    const bytes = line.at(-1) === 13 ? line.subarray(0, -1) : line;
    if (bytes.length > this.#following.longest) this.#reportLong();
    else if (bytes.length > 0) yield { bytes, position: this.#start };
  }

  #pass(length: number): void {
    this.#known = this.#known.subarray(length);
    this.#start += length;
  }

  #reportLong(): void {
    const { context, longest } = this.#following;
    context.log.error("a line is too long and was skipped", { position: this.#start, longest });
  }
}

/** Largest total size of lines in progress, in bytes. A single line may be larger. */
const mostBytes = 16 * 1024 * 1024;

/** Pause before an unreadable file is tried again, in milliseconds. */
const retryPause = 1000;

/**
 * Reads the lines of a file that others write, in order, without empty ones. Up to `line_buffer` lines are in
 * progress at a time. The position in the file is not stored, as in the reference engine.
 */
export function fileTailInput(options: FileTailInputOptions): Input {
  const settings = { ...fileTailInputDefaults, ...options };
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;

  async function read(
    context: InputContext,
    from: number,
    window: DeliveryWindow<TailedLine>,
  ): Promise<void> {
    const { poll_interval: pollInterval, max_line_bytes: longest } = settings;
    const following = { pollInterval, retryPause, longest, signal, context };
    for await (const line of followFile(settings.path, from, following)) {
      await window.room();
      if (signal.aborted) return;
      window.take(line, false);
    }
  }

  return {
    async start(given) {
      const context = withReplay(given, settings.auto_replay_nacks);
      // If the file does not exist, `start` fails: the stream reports that, and tries again.
      const from = await beginning(settings.path, settings.start_position === "end");
      const redelivery = createRedelivery(context, sourceFrom({ path: "file_tail_path" }));
      const window = new DeliveryWindow<TailedLine>({
        limit: settings.line_buffer,
        collectors: context.collectors,
        held: 0,
        bytes: mostBytes,
        sizeOf: ({ bytes }) => bytes.length,
        deliver: singly(async ({ bytes, position }) => {
          const metadata = [
            ["file_tail_path", settings.path],
            ["file_tail_position", String(position)],
          ] as const;
          await redelivery.deliver([Message.fromBytes(bytes, new Map(metadata))], signal);
        }),
        onDropped: () => undefined, // cannot happen: lines wait for room
      });
      running = read(context, from, window)
        .catch((error: unknown) => {
          context.log.error("file cannot be followed", { error });
          context.beginOutage?.("file cannot be followed");
        })
        .then(() => window.idle());
    },
    async close() {
      abort(closing);
      await running;
    },
  };
}

async function beginning(path: string, isEnd: boolean): Promise<number> {
  const file = await openFollowed(path);
  try {
    return isEnd ? (await file.stat()).size : 0;
  } finally {
    await file.close();
  }
}
