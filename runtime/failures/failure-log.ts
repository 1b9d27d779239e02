// Logs failing messages: a line for the first failure of a kind, and the number of those that follow.

import type { Blockage } from "../conditions/blockage.ts";
import type { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { describeFailure, type FailureDescription, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** The most kinds that are distinguished; further ones count as one more kind. */
const mostKinds = 100;

/** Failures with the same reason at the same place. */
interface Kind {
  /** When its last line was logged, as `performance.now()` returns it. */
  toldAt: number;
  /** Batches and messages since then. */
  batches: number;
  messages: number;
  /** The latest failure. */
  latest: LogFields;
}

type LogFields = FailureDescription & Readonly<Record<string, unknown>>;

/** Logs the failures of one stream. Failures without a line of their own are counted, and logged each minute. */
export class FailureLog {
  readonly #log: Logger;
  readonly #onFailure: (reason: string) => void;
  readonly #stopping: AbortSignal;
  readonly #interval: number;
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * `onFailure`: called with the reason of each batch. `interval`: the least milliseconds between two lines about
   * failures of one kind.
   */
  constructor(log: Logger, onFailure: (reason: string) => void, stopping: AbortSignal, interval = 60_000) {
    this.#log = log;
    this.#onFailure = onFailure;
    this.#stopping = stopping;
    this.#interval = interval;
    stopping.addEventListener("abort", () => this.#summarize(), { once: true });
  }

  /**
   * Logs that a batch was not delivered; to be called once per batch, regardless of the number of attempts. Logs
   * nothing if the batch is returned because there is no client: the state of the stream says so.
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
    // A failure while the stream stops is logged immediately: the process may end soon.
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

/** Whether the log needs a stack: network errors are clear without one, and a 422 is about the message. */
function needsStack({ cause, status }: GatewayError): boolean {
  return cause !== undefined && status >= 500 && networkFault(cause) === undefined;
}
