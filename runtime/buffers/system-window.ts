import type { Buffer, Delivered, InputContext } from "../component/component.ts";
import { notConnected } from "../component/persistence.ts";
import { createRedelivery } from "../component/redelivery.ts";
import { abort } from "../concurrency/abort.ts";
import { pause } from "../concurrency/backoff.ts";
import { type Collector, Collectors } from "../concurrency/in-flight.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import { timestamp } from "../mapping/timestamps.ts";
import type { Batch, Message } from "../message/message.ts";
import type { MappingFunction } from "../processors/functions.ts";
import type { SystemWindowBufferOptions } from "./generated/system-window-buffer-options.ts";

/** The maximum number of bytes of content kept. Beyond it, the input waits. */
const heldLimit = 500 * 1024 * 1024;

/** The longest delay of a timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** A message that waits for the end of its window. */
interface Waiting {
  readonly message: Message;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  /** Settles this message's part of its incoming batch. Only the first call has an effect. */
  readonly settle: (failure?: GatewayError) => void;
}

/** Returns nanoseconds since 1970, by the system clock. */
type WindowClock = () => bigint;

const systemClock: WindowClock = () => BigInt(Date.now()) * 1_000_000n;

/**
 * Keeps messages until the window that contains their time has ended, and delivers each window as one batch. A message
 * is acknowledged once the first window that contains it is delivered. A message that is too late for its window is
 * dropped and the drop is logged. When the stream stops, waiting messages are refused, so that they are read again.
 */
export function systemWindowBuffer(
  options: SystemWindowBufferOptions,
  clock: WindowClock = systemClock,
): Buffer {
  const windows = windowsOf(options);
  const lateness = BigInt(options.allowed_lateness ?? 0) * 1_000_000n;
  const closing = new AbortController();
  const room = new Semaphore(heldLimit);
  const collectors = new Collectors();
  let waiting: Waiting[] = [];
  /** The number of messages in windows that are being delivered. */
  let leaving = 0;
  let flushedUntil = 0n;
  let last: Promise<unknown> = Promise.resolve();
  let running: Promise<void> | undefined;
  let context: InputContext | undefined;
  let leave: (() => void) | undefined;

  async function run(given: InputContext): Promise<void> {
    for (let end = firstEnd(windows, clock()); !closing.signal.aborted; ) {
      if (end - clock() > windows.step) {
        end = firstEnd(windows, clock());
        goBack(end - windows.step);
      }
      const left = Number((end + lateness - clock()) / 1_000_000n);
      if (left > 0) {
        await pause(Math.min(left, longestTimer), closing.signal);
        continue;
      }
      flush(end, given);
      const next = end + windows.step;
      // After the machine was suspended, skip windows without messages.
      end = waiting.length === 0 ? later(next, firstEnd(windows, clock())) : next;
    }
  }

  /**
   * Handles a clock set back into the window after `end`: new messages are not late, and waiting ones are not in the
   * future.
   */
  function goBack(end: bigint): void {
    flushedUntil = earlier(flushedUntil, end);
    if (options.timestamp_mapping !== undefined) return;
    waiting = waiting.map((each) => ({ ...each, at: earlier(each.at, now()) }));
  }

  function flush(end: bigint, given: InputContext): void {
    const inside = waiting.filter(({ at }) => at > end - windows.size && at <= end);
    const nextStart = end - windows.size + windows.step;
    const expired = waiting.filter(({ at }) => at <= end - windows.size);
    waiting = waiting.filter(({ at }) => at > nextStart);
    flushedUntil = end;
    drop(expired, given);
    if (inside.length === 0) return;
    const entries = [["window_end_timestamp", printEnd(end)]] as const;
    const batch = inside.map(({ message }) => message.withEntries(entries));
    leaving += inside.length;
    last = last.then(() => deliver(batch, inside, given));
  }

  async function deliver(batch: Batch, inside: readonly Waiting[], given: InputContext): Promise<void> {
    let failure: GatewayError | undefined;
    try {
      const delivered = await createRedelivery(given).deliver(batch, closing.signal);
      if (delivered === undefined) failure = incomplete();
    } catch (error) {
      failure = toGatewayError(error, 500, "Internal error");
    }
    leaving -= inside.length;
    for (const { settle } of inside) settle(failure);
  }

  /**
   * The time of messages without a mapped time. They are never late, even while the clock catches up after it was set
   * back.
   */
  const now = () => later(clock(), flushedUntil + 1n);

  function drop(late: readonly Waiting[], given: InputContext): void {
    if (late.length > 0) warnOfMessages(given, "messages arrived too late for their window", late.length);
    for (const { settle } of late) settle();
  }

  function stop(): void {
    abort(closing);
    for (const { settle } of waiting) settle(incomplete());
    waiting = [];
  }

  return {
    collectors,
    async open(given) {
      context = given;
      given.signal.addEventListener("abort", stop, { once: true });
      const behind = given.collectors;
      const member: Collector = {
        get held() {
          return waiting.length + (behind !== undefined && behind.held > 0 ? leaving : 0);
        },
      };
      leave = collectors.join(member, behind);
      running = run(given);
    },
    async write(batch) {
      const given = context;
      if (given === undefined) throw notConnected();
      const size = batch.reduce((sum, message) => sum + message.bytes().length, 0);
      const times = batch.map((_, index) => timeOf(options.timestamp_mapping, batch, index, now));
      await room.use(async () => {
        if (closing.signal.aborted) throw incomplete();
        const settled = new Settling(batch.length);
        const came = batch.map((message, index): Waiting => {
          return { message, at: times[index] ?? 0n, settle: settled.one() };
        });
        waiting.push(...came.filter(({ at }) => at > flushedUntil));
        drop(
          came.filter(({ at }) => at <= flushedUntil),
          given,
        );
        collectors.changed();
        await settled.all;
      }, size);
      return {} satisfies Delivered;
    },
    stop,
    idle: () => room.idle(),
    async close() {
      stop();
      await running;
      await last;
      leave?.();
    },
  };
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function incomplete(): GatewayError {
  return new GatewayError(503, "The window of the message has not ended", { retryAfter: 1 });
}

function windowsOf({ size, slide = 0, offset = 0 }: SystemWindowBufferOptions): Windows {
  const nanoseconds = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n;
  return {
    size: nanoseconds(size),
    step: nanoseconds(slide === 0 ? size : slide),
    offset: nanoseconds(offset),
  };
}

/**
 * Returns the time of a message by the mapping, or now if there is no mapping. Throws a `GatewayError` if the mapping
 * fails.
 */
function timeOf(map: MappingFunction | undefined, batch: Batch, index: number, clock: WindowClock): bigint {
  if (map === undefined) return clock();
  try {
    const made = map(batch, index);
    const time = timestamp(made?.document() ?? made?.bytes() ?? null, "timestamp_mapping");
    return time.seconds() * 1_000_000_000n + BigInt(time.nanoseconds());
  } catch (error) {
    throw toGatewayError(error, 500, "timestamp_mapping failed");
  }
}

/** Settles a batch once each of its messages is settled. */
class Settling {
  readonly all: Promise<void>;
  #left: number;
  #failure: GatewayError | undefined;
  #resolve: () => void = () => undefined;
  #reject: (failure: GatewayError) => void = () => undefined;

  constructor(count: number) {
    this.#left = count;
    this.all = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Returns a function that settles one message. Only its first call has an effect. */
  one(): (failure?: GatewayError) => void {
    let isSettled = false;
    return (failure) => {
      if (isSettled) return;
      isSettled = true;
      this.#failure ??= failure;
      this.#left -= 1;
      if (this.#left > 0) return;
      if (this.#failure === undefined) this.#resolve();
      else this.#reject(this.#failure);
    };
  }
}

/** Windows of `size` that start every `step`, `offset` after the full hour, day and so on. */
interface Windows {
  readonly size: bigint;
  readonly step: bigint;
  readonly offset: bigint;
}

/**
 * Nanoseconds from 0001-01-01 to 1970-01-01. The reference engine counts multiples of a window size from the year 1.
 */
const sinceYearOne = 62_135_596_800n * 1_000_000_000n;

/**
 * Returns the end of the window that ends next at `now`. A window includes its end, but not its start, `size` earlier.
 */
export function firstEnd({ step, offset }: Windows, now: bigint): bigint {
  const elapsed = now + sinceYearOne;
  const rounded = ((elapsed + step / 2n) / step) * step - sinceYearOne;
  const start = rounded + offset;
  const begun = start >= now ? start - step : start;
  // If windows overlap, the window that ends next started before the window that started last.
  return begun + step;
}

/** Returns the end of a window as RFC 3339 text in UTC. */
export function printEnd(end: bigint): string {
  const text = new Date(Number(end / 1_000_000n)).toISOString().slice(0, -1);
  return `${text.replace(/\.?0{0,3}$/, "")}Z`;
}
