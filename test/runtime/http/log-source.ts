// A source that can be replayed, for tests of clients that resume.

import type { Input, InputContext, ReplayInput } from "../../../runtime/component/component.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { PartPosition, Positions } from "../../../runtime/message/positions.ts";

/** A source with one part whose messages remain, as in a partition of Kafka. */
export class Log {
  readonly texts: string[] = [];
  /** The offset of the oldest message that the group has not confirmed. */
  committed = 0;
  readonly #readers = new Set<() => void>();
  /** How many readers of single clients are open. */
  replays = 0;
  /** The highest number of these readers that were open at the same time. */
  mostReplays = 0;
  /** How often these readers fail to begin, and how often they fail to report the end of the source. */
  failures = { begin: 0, ends: 0 };
  /** Whether its readers report that they collect batches. */
  collects = false;

  /** Adds messages; readers receive them immediately. */
  append(...texts: string[]): void {
    this.texts.push(...texts);
    for (const wake of this.#readers) wake();
  }

  /** Resolves when the input reports that it has started, which may be after the first messages. */
  started: Promise<void> = Promise.resolve();

  /** Returns an input that reads for the group. */
  input(): Input {
    const reader = this.#read(() => this.committed);
    return {
      ...reader,
      start: async (context) => {
        await reader.start(context);
        await this.started;
      },
      positions: {
        undelivered: (isHanded) => oldest(this.committed, isHanded),
        from: (positions) => this.#replay(Number(positions.get("log") ?? 0n)),
      },
    };
  }

  #replay(from: number): ReplayInput {
    let next = from;
    const reader = this.#read(
      () => next,
      (offset) => {
        next = offset + 1;
      },
    );
    return {
      ...reader,
      start: async (context) => {
        this.replays += 1;
        this.mostReplays = Math.max(this.mostReplays, this.replays);
        if (this.failures.begin-- > 0) throw new GatewayError(502, "The log is away");
        await reader.start(context);
      },
      close: async () => {
        this.replays -= 1;
        await reader.close();
      },
      undelivered: (isHanded) => oldest(next, isHanded),
      collects: this.collects,
      ends: async () => {
        if (this.failures.ends-- > 0) throw new GatewayError(502, "The log is away");
        return new Map([["log", BigInt(this.texts.length)]]);
      },
    };
  }

  /** Delivers one message after another and calls `confirmed` for each; by default, this commits the group's offset. */
  #read(
    begin: () => number,
    confirmed = (offset: number) => {
      this.committed = offset + 1;
    },
  ): Input {
    let wake: () => void = () => undefined;
    let running: Promise<void> = Promise.resolve();
    const ended = new AbortController();
    const listener = () => wake();
    const run = async (context: InputContext) => {
      for (let offset = begin(); !ended.signal.aborted; ) {
        const text = this.texts[offset];
        if (text === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const message = Message.fromBytes(Buffer.from(text), new Map(), {
          part: "log",
          offset: BigInt(offset),
        });
        try {
          await context.deliver([message]);
          confirmed(offset);
          offset += 1;
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          if (context.maxAttempts === 1 && error.status === 422) offset += 1;
          else return;
        }
      }
    };
    return {
      start: async (context) => {
        this.#readers.add(listener);
        running = run(context);
      },
      close: async () => {
        ended.abort();
        this.#readers.delete(listener);
        wake();
        await running;
      },
    };
  }
}

/** Returns the position of the only message in flight, at `place`, or the next one if it was delivered. */
function oldest(place: number, isHanded: (position: PartPosition) => boolean = () => false): Positions {
  const offset = BigInt(place);
  return new Map([["log", isHanded({ part: "log", offset }) ? offset + 1n : offset]]);
}
