// Messages of watched streams. They are requested from gateways and kept only in the memory of this process.

import type { TailedStream, TailRequest } from "../../runtime/gateway/tail/sample.ts";
import { refusal } from "../../runtime/rest/answers.ts";

/** A message as clients receive it. */
export type ShownMessage = TailedStream["messages"][number] & {
  /** The number of the message within the stream, in ascending order. */
  readonly number: number;
  readonly gateway: string;
};

/** The messages after a given one. */
export interface Shown {
  readonly messages: readonly ShownMessage[];
  /** The number of messages that passed without being shown, since watching started. */
  readonly missed: number;
}

/** Milliseconds without a request after which watching a stream ends. */
const longestSilence = 20_000;
/** The maximum number of streams that an organisation watches. */
const mostTailed = 16;
/** The maximum number of messages kept per stream. */
const mostKept = 200;

interface Tail {
  readonly organisation: string;
  readonly api: string;
  readonly stream: string;
  requestedAt: number;
  number: number;
  missed: number;
  messages: ShownMessage[];
  readonly waiting: Set<() => void>;
}

/** The streams that are being watched. */
export class Tails {
  readonly #redact: readonly string[];
  readonly #tails = new Map<string, Tail>();

  /** `redact`: parts of names whose values are hidden, in addition to those that always are. */
  constructor(redact: readonly string[]) {
    this.#redact = redact;
  }

  /** Starts to watch a stream, or continues. Throws a `refusal` (429) if its organisation watches too many. */
  begin(organisation: string, api: string, stream: string): void {
    this.#forget();
    const key = keyOf(api, stream);
    const tail = this.#tails.get(key);
    const own = [...this.#tails.values()].filter((each) => each.organisation === organisation);
    if (tail === undefined && own.length >= mostTailed)
      throw refusal(429, "Too many streams are being tailed.");
    const fresh = {
      organisation,
      api,
      stream,
      number: 0,
      missed: 0,
      messages: [],
      waiting: new Set<() => void>(),
    };
    this.#tails.set(key, Object.assign(tail ?? fresh, { requestedAt: Date.now() }));
  }

  /**
   * Returns the messages after the one with number `after`. Waits up to `wait` milliseconds for the first one.
   * `undefined` if the stream is not being watched, or has not been read for a long time.
   */
  async read(
    [api, stream]: readonly [api: string, stream: string],
    after: number,
    { wait, signal }: { readonly wait: number; readonly signal: AbortSignal },
  ): Promise<Shown | undefined> {
    this.#forget();
    const tail = this.#tails.get(keyOf(api, stream));
    if (tail === undefined) return undefined;
    tail.requestedAt = Date.now();
    if (tail.number <= after && wait > 0 && !signal.aborted) await arrival(tail, wait, signal);
    tail.requestedAt = Date.now();
    return { messages: tail.messages.filter(({ number }) => number > after), missed: tail.missed };
  }

  /** Returns the streams that gateways should sample; `undefined` if there are none. */
  wanted(): TailRequest | undefined {
    this.#forget();
    if (this.#tails.size === 0) return undefined;
    // A gateway samples a limited number: first the first stream of each organisation, then the second ones, and so on.
    const byOrganisation = Map.groupBy(this.#tails.values(), ({ organisation }) => organisation);
    const ranked = [...byOrganisation.values()].flatMap((own) => [...own.entries()]);
    const streams = ranked
      .sort(([one], [other]) => one - other)
      .map(([, { api, stream }]) => ({ api, stream }));
    return { streams, redact: this.#redact };
  }

  /** Stores samples from a gateway, of streams that are being watched. */
  take(gateway: string, seen: readonly TailedStream[]): void {
    for (const { api, stream, messages, missed } of seen) {
      const tail = this.#tails.get(keyOf(api, stream));
      if (tail === undefined) continue;
      tail.missed += missed;
      for (const message of messages) {
        tail.number += 1;
        tail.messages.push({ ...message, number: tail.number, gateway });
      }
      tail.messages = tail.messages.slice(-mostKept);
      for (const wake of tail.waiting) wake();
    }
  }

  /** Ends all waiting requests. */
  close(): void {
    for (const { waiting } of this.#tails.values()) for (const wake of waiting) wake();
    this.#tails.clear();
  }

  #forget(): void {
    const last = Date.now() - longestSilence;
    for (const [key, { requestedAt, waiting }] of this.#tails)
      if (requestedAt < last && waiting.size === 0) this.#tails.delete(key);
  }
}

function arrival({ waiting }: Tail, wait: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, wait);
    waiting.add(wake);
    signal.addEventListener("abort", wake);
  });
}

function keyOf(api: string, stream: string): string {
  return JSON.stringify([api, stream]);
}
