// A source that can be gone back to, for tests of clients that do.

import type { Input, InputContext, ReplayInput } from "../../../runtime/component/component.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { PartPosition, Positions } from "../../../runtime/message/positions.ts";

/** A source of one part whose messages stay, as a partition's do. */
export class Log {
  readonly texts: string[] = [];
  /** The oldest that the group has not confirmed. */
  committed = 0;
  readonly #readers = new Set<() => void>();
  /** Readers of single clients that are open. */
  replays = 0;
  /** The most of them that were open at a time. */
  mostReplays = 0;
  /** How often such a reader fails to begin, and then to tell where the source ends. */
  failures = { begin: 0, ends: 0 };
  /** Whether its readers say that they collect batches. */
  collects = false;

  /** Adds messages; who reads has them at once. */
  append(...texts: string[]): void {
    this.texts.push(...texts);
    for (const wake of this.#readers) wake();
  }

  /** When its input says that it has started, which may be after the first messages. */
  started: Promise<void> = Promise.resolve();

  /** What reads for the group. */
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

  /** Hands over one message after the other; `confirmed` is told of each, and else the group's place moves. */
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

/** One message is under way at a time: the one at `place`, if any. */
function oldest(place: number, isHanded: (position: PartPosition) => boolean = () => false): Positions {
  const offset = BigInt(place);
  return new Map([["log", isHanded({ part: "log", offset }) ? offset + 1n : offset]]);
}
