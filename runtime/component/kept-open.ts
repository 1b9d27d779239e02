// Connections that are opened again whenever they are lost, and those of components without a start of their own, such
// as processors, which are opened when they are first needed.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { startReason } from "../failures/description.ts";
import { networkFault } from "../failures/unreachable.ts";
import type { ComponentContext } from "./component.ts";

/** Something open, as far as repairing it goes. */
export interface Opened {
  /** Resolves with the reason once it is lost or closed; never rejects. */
  readonly lost: Promise<string>;
  /** Says goodbye, once what was sent is read. Must not reject. */
  close(): Promise<void>;
}

/** A kept open connection and its client. */
export interface KeptOpenOptions<T extends Opened> {
  /** What operators call the other side: `RabbitMQ`. */
  readonly name: string;
  readonly context: Pick<ComponentContext, "log" | "beginOutage">;
  /** Opens it once; rejects with a `GatewayError`, and leaves nothing open, where that fails. */
  open(): Promise<T>;
}

/** Short, as many a broker is back within seconds; one attempt in five seconds is a burden to none. */
const pauses = { first: 200, longest: 5_000 };

/**
 * Keeps one thing open. What is lost is opened again after a pause; pauses grow until it has proved useful, so
 * that a place which takes a connection and drops it again is not hammered.
 */
export class KeptOpen<T extends Opened> {
  readonly #options: KeptOpenOptions<T>;
  readonly #ending = new AbortController();
  readonly #backoff = createBackoff(pauses);
  #current: T | undefined;
  #keeping: Promise<void> | undefined;
  #endOutage: EndCondition | undefined;

  constructor(options: KeptOpenOptions<T>) {
    this.#options = options;
  }

  /** What is open now; `undefined` while it is lost. */
  get current(): T | undefined {
    return this.#current;
  }

  /** Opens it for the first time; rejects when that fails. */
  async start(): Promise<void> {
    const opened = await this.#options.open();
    if (this.#ending.signal.aborted) {
      await opened.close();
      throw new GatewayError(503, "Gateway is closing", { retryable: false });
    }
    this.#options.context.log.info(`connected to ${this.#options.name}`);
    this.#current = opened;
    this.#keeping = this.#keep(opened);
  }

  /** Tells that what is open does what it is for. */
  succeeded(): void {
    this.#backoff.reset();
  }

  /** Opens nothing any more. What is open now stays so until `close`. */
  async leave(): Promise<void> {
    this.#ending.abort();
    await this.#keeping;
  }

  /** Closes it for good. */
  async close(): Promise<void> {
    await this.leave();
    await this.#current?.close();
    this.#current = undefined;
  }

  async #keep(first: T): Promise<void> {
    const { name, context } = this.#options;
    const ended = new Promise<void>((resolve) => {
      this.#ending.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    for (let opened: T | undefined = first; opened !== undefined; opened = await this.#openAgain()) {
      this.#current = opened;
      const reason = await Promise.race([opened.lost, ended]);
      if (this.#ending.signal.aborted) return;
      this.#current = undefined;
      this.#endOutage = context.beginOutage?.(`the connection to ${name} is lost`);
      context.log.warn(`${name} connection lost, reconnecting`, { reason });
      await opened.close(); // a channel can be lost while its connection is not
    }
  }

  async #openAgain(): Promise<T | undefined> {
    const { name, context, open } = this.#options;
    let told = "";
    for (;;) {
      await pause(this.#backoff.next(), this.#ending.signal);
      if (this.#ending.signal.aborted) return undefined;
      try {
        const opened = await open();
        this.#endOutage?.();
        context.log.info(`connected to ${name} again`);
        return opened;
      } catch (error) {
        const reason = error instanceof GatewayError ? startReason(error) : String(error);
        const stack = networkFault(error) === undefined && { error };
        if (reason !== told) context.log.warn(`${name} unavailable, retrying`, { reason, ...stack });
        told = reason;
      }
    }
  }
}

/** Something that is opened when it is first needed. */
export interface OnDemand<A, T> {
  /** What is open; opens it where it is not. After an attempt that failed, the next call tries again. */
  open(given: A): Promise<T>;
  /** Ends what is open, also where it is only being opened. */
  close(): Promise<void>;
}

/** Nothing is opened before `open` of the result is called. */
export function openOnDemand<A, T>(
  open: (given: A) => Promise<T>,
  close: (opened: T) => Promise<void>,
): OnDemand<A, T> {
  let opened: Promise<T> | undefined;
  return {
    open(given) {
      opened ??= open(given).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    async close() {
      const present = await opened?.catch(() => undefined); // what never opened has nothing to end
      if (present !== undefined) await close(present);
    },
  };
}
