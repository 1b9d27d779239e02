// Logs failing messages: a line for the first failure of a kind, and the number of those that follow.

import type { Blockage } from "../conditions/blockage.ts";
import type { GatewayError } from "../errors.ts";
import type { LogFields, Logger } from "../process/log.ts";
import { describeFailure, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** The most kinds that are distinguished; further ones count as one more kind. */
const mostKinds = 100;

/** Lines with the same text and fields, except for the position in the source. */
interface Kind {
  /** When its last line was logged, as `performance.now()` returns it. */
  loggedAt: number;
  /** Batches and messages since then. */
  batches: number;
  messages: number;
  /** Text and fields of the line that counts them. */
  more: readonly [text: string, fields: LogFields];
}

/**
 * Logs warnings that messages cause. The first of a kind has a line of its own; further ones are counted, and logged
 * each minute, so that messages cannot fill a disk.
 */
class RepeatedLines {
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #interval: number;
  /** Created by the first line. */
  #kinds: Map<string, Kind> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `interval`: the least milliseconds between two lines of one kind. */
  constructor(log: Logger, stopping: AbortSignal, interval = 60_000) {
    this.#log = log;
    this.#stopping = stopping;
    this.#interval = interval;
  }

  /** Logs a line, with `own` in addition to `fields`, or counts it for the line `more`. */
  warn(
    text: string,
    fields: LogFields,
    messages: number,
    own?: LogFields,
    more = `${text} (repeated)`,
  ): void {
    const kind = this.#kindOf(JSON.stringify([text, { ...fields, source: undefined }]));
    const now = performance.now();
    if (kind.batches === 0 && now - kind.loggedAt >= this.#interval) {
      kind.loggedAt = now;
      this.#log.warn(text, { ...fields, messages, ...own });
      return;
    }
    kind.batches += 1;
    kind.messages += messages;
    kind.more = [more, fields];
    const summarize = () => this.#summarize();
    // A failure while the stream stops is logged immediately: the process may end soon.
    this.#timer ??= this.#stopping.aborted
      ? setTimeout(summarize, 0)
      : setTimeout(summarize, this.#interval).unref();
  }

  #kindOf(key: string): Kind {
    const kinds = this.#kinds ?? this.#begin();
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size >= mostKinds && key !== "") return this.#kindOf("");
    const kind: Kind = { loggedAt: Number.NEGATIVE_INFINITY, batches: 0, messages: 0, more: ["", {}] };
    kinds.set(key, kind);
    return kind;
  }

  /** Called before the first line: most streams log none. */
  #begin(): Map<string, Kind> {
    this.#kinds = new Map();
    this.#stopping.addEventListener("abort", () => this.#summarize(), { once: true });
    return this.#kinds;
  }

  #summarize(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const kind of this.#kinds?.values() ?? []) {
      if (kind.batches === 0) continue;
      const { batches, messages, more } = kind;
      this.#log.warn(more[0], { ...more[1], batches, messages });
      kind.loggedAt = performance.now();
      [kind.batches, kind.messages] = [0, 0];
    }
  }
}

const linesOfComponents = /* @__PURE__ */ new WeakMap<Logger, RepeatedLines>();

/**
 * Logs a warning of a component that any message may cause, with a limit on lines. `fields` must not contain content
 * of the message.
 */
export function warnOfMessages(
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
  text: string,
  messages: number,
  fields: LogFields = {},
): void {
  const lines = linesOfComponents.get(log) ?? new RepeatedLines(log, signal);
  linesOfComponents.set(log, lines);
  lines.warn(text, fields, messages);
}

/** Logs the failures of one stream. Failures without a line of their own are counted, and logged each minute. */
export class FailureLog {
  readonly #lines: RepeatedLines;
  readonly #onFailure: (reason: string) => void;

  /**
   * `onFailure`: called with the reason of each batch. `interval`: the least milliseconds between two lines about
   * failures of one kind.
   */
  constructor(log: Logger, onFailure: (reason: string) => void, stopping: AbortSignal, interval?: number) {
    this.#lines = new RepeatedLines(log, stopping, interval);
    this.#onFailure = onFailure;
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
    this.#lines.warn(
      "batch not delivered",
      { ...description, status, ...(source !== undefined && { source }), willRepeat },
      batch.length,
      { attempts, ...(needsStack(failure) && { error: failure.cause }) },
      "more batches not delivered",
    );
  }
}

/** Whether the log needs a stack: network errors are clear without one, and a 422 is about the message. */
function needsStack({ cause, status }: GatewayError): boolean {
  return cause !== undefined && status >= 500 && networkFault(cause) === undefined;
}
