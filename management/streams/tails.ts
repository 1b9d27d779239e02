// Messages of streams while they are looked at: requested from gateways, kept in this process for a moment, and nowhere else.

import type { TailedStream, TailRequest } from "../../runtime/gateway/tail/sample.ts";
import { refusal } from "../../runtime/rest/answers.ts";

/** A message as it is shown. */
export type ShownMessage = TailedStream["messages"][number] & {
  /** Counts up with the messages of the stream. */
  readonly number: number;
  readonly gateway: string;
};

/** What came since a message. */
export interface Shown {
  readonly messages: readonly ShownMessage[];
  /** Messages that passed without being shown, since it began. */
  readonly missed: number;
}

/** Milliseconds without a request after which looking at a stream ends. */
const longestSilence = 20_000;
/** Streams that one organisation looks at. */
const mostTailed = 16;
/** Messages of a stream that are kept. */
const mostKept = 200;

interface Tail {
  readonly organisation: string;
  readonly api: string;
  readonly stream: string;
  askedAt: number;
  number: number;
  missed: number;
  messages: ShownMessage[];
  readonly waiting: Set<() => void>;
}

/** What is looked at now. */
export class Tails {
  readonly #redact: readonly string[];
  readonly #tails = new Map<string, Tail>();

  /** `redact`: parts of names whose values are not shown, besides those that never are. */
  constructor(redact: readonly string[]) {
    this.#redact = redact;
  }

  /** Begins to look at a stream, or goes on. Throws a `refusal` (429) where its organisation looks at too many. */
  begin(organisation: string, api: string, stream: string): void {
    this.#forget();
    const key = keyOf(api, stream);
    const tail = this.#tails.get(key);
    const own = [...this.#tails.values()].filter((each) => each.organisation === organisation);
    if (tail === undefined && own.length >= mostTailed) throw refusal(429, "Too many streams are looked at.");
    const fresh = {
      organisation,
      api,
      stream,
      number: 0,
      missed: 0,
      messages: [],
      waiting: new Set<() => void>(),
    };
    this.#tails.set(key, Object.assign(tail ?? fresh, { askedAt: Date.now() }));
  }

  /**
   * What came after the message of that number; waits up to `wait` milliseconds for the first. `undefined` where no one has
   * begun, or has asked for long.
   */
  async read(
    [api, stream]: readonly [api: string, stream: string],
    after: number,
    { wait, signal }: { readonly wait: number; readonly signal: AbortSignal },
  ): Promise<Shown | undefined> {
    this.#forget();
    const tail = this.#tails.get(keyOf(api, stream));
    if (tail === undefined) return undefined;
    tail.askedAt = Date.now();
    if (tail.number <= after && wait > 0 && !signal.aborted) await arrival(tail, wait, signal);
    tail.askedAt = Date.now();
    return { messages: tail.messages.filter(({ number }) => number > after), missed: tail.missed };
  }

  /** What gateways are to look at, if anything. */
  wanted(): TailRequest | undefined {
    this.#forget();
    if (this.#tails.size === 0) return undefined;
    // A gateway takes only so many: each organisation's first ones come first.
    const byOrganisation = Map.groupBy(this.#tails.values(), ({ organisation }) => organisation);
    const ranked = [...byOrganisation.values()].flatMap((own) => [...own.entries()]);
    const streams = ranked
      .sort(([one], [other]) => one - other)
      .map(([, { api, stream }]) => ({ api, stream }));
    return { streams, redact: this.#redact };
  }

  /** Takes samples of a gateway, as far as they are looked at. */
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
    for (const [key, { askedAt, waiting }] of this.#tails)
      if (askedAt < last && waiting.size === 0) this.#tails.delete(key);
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
