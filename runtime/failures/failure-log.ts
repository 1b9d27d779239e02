// What the log says of messages that fail: a line for the first of a kind, and the number of those that follow.

import type { Blockage } from "../conditions/blockage.ts";
import type { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { describeFailure, type FailureDescription, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** Kinds that are told apart; what fails for yet another reason is counted as one more kind. */
const mostKinds = 100;

/** Failures with one reason at one place. */
interface Kind {
  /** When the last line about it was written, as `performance.now` gives it. */
  toldAt: number;
  /** Batches and messages since then. */
  batches: number;
  messages: number;
  /** The latest of them. */
  latest: LogFields;
}

type LogFields = FailureDescription & Readonly<Record<string, unknown>>;

/** The failures of one stream. What has no line of its own is counted, and said once a minute and when the stream stops. */
export class FailureLog {
  readonly #log: Logger;
  readonly #onFailure: (reason: string) => void;
  readonly #stopping: AbortSignal;
  readonly #interval: number;
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * `onFailure` is called with the reason of each batch; between two lines about failures of one
   * kind are `interval` milliseconds.
   */
  constructor(log: Logger, onFailure: (reason: string) => void, stopping: AbortSignal, interval = 60_000) {
    this.#log = log;
    this.#onFailure = onFailure;
    this.#stopping = stopping;
    this.#interval = interval;
    stopping.addEventListener("abort", () => this.#summarize(), { once: true });
  }

  /**
   * Logs that a batch was not delivered; to be called once for each, whatever the number of its attempts. Nothing is said of what
   * goes back for want of a client: the stream's state says that it waits for one.
   */
  refused({ batch, failure, attempts, source }: Blockage, willRepeat: boolean): void {
    if (failure.isReturn && !willRepeat) return;
    const description = describeFailure(failure);
    this.#onFailure(failureSentence(description));
    const { status } = failure;
    const kind = this.#kindOf(JSON.stringify([description, status, willRepeat]));
    const fields = { ...description, status, ...(source !== undefined && { source }) };
    const now = performance.now();
    if (kind.batches === 0 && now - kind.toldAt >= this.#interval) {
      kind.toldAt = now;
      const stack = needsStack(failure) && { error: failure.cause };
      this.#log.warn("batch not delivered", {
        ...{ ...fields, messages: batch.length, attempts, willRepeat },
        ...stack,
      });
      return;
    }
    kind.batches += 1;
    kind.messages += batch.length;
    kind.latest = { ...fields, willRepeat };
    const summarize = () => this.#summarize();
    // What fails while the stream stops is over soon, and the process may end then.
    this.#timer ??= this.#stopping.aborted
      ? setTimeout(summarize, 0)
      : setTimeout(summarize, this.#interval).unref();
  }

  #kindOf(key: string): Kind {
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    if (this.#kinds.size >= mostKinds && key !== "") return this.#kindOf("");
    const kind = { toldAt: Number.NEGATIVE_INFINITY, batches: 0, messages: 0, latest: { reason: "" } };
    this.#kinds.set(key, kind);
    return kind;
  }

  #summarize(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const kind of this.#kinds.values()) {
      if (kind.batches === 0) continue;
      const { batches, messages, latest } = kind;
      this.#log.warn("more batches not delivered", { ...latest, batches, messages });
      kind.toldAt = performance.now();
      [kind.batches, kind.messages] = [0, 0];
    }
  }
}

/** What the network says needs no stack to be understood, and a 422 is about the message. */
function needsStack({ cause, status }: GatewayError): boolean {
  return cause !== undefined && status >= 500 && networkFault(cause) === undefined;
}
