// Keeps connections open: reopens them when they are lost, and opens those of components without a start, such as
// processors, when they are first needed.

import { abort } from "../concurrency/abort.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { startReason } from "../failures/description.ts";
import { networkFault } from "../failures/unreachable.ts";
import type { ComponentContext } from "./component.ts";

/** An open connection. */
export interface Opened {
  /** Resolves with the reason when the connection is lost or closed; never rejects. */
  readonly lost: Promise<string>;
  /** Closes the connection gracefully after the sent data has been read. Must not reject. */
  close(): Promise<void>;
}

/** How to open a connection that is kept open, and who uses it. */
export interface KeptOpenOptions<T extends Opened> {
  /** The name of the other side for operators, such as `RabbitMQ`. */
  readonly name: string;
  readonly context: Pick<ComponentContext, "log" | "beginOutage">;
  /** Opens the connection once; if that fails, rejects with a `GatewayError` and leaves nothing open. */
  open(): Promise<T>;
}

/**
 * Milliseconds. Short, since many brokers return within seconds; one attempt every five seconds is a negligible load.
 */
const pauses = { first: 200, longest: 5_000 };

/**
 * Keeps one connection open. Reopens a lost connection after a pause; the pauses grow until the connection has been
 * used successfully, so that a server which accepts connections and drops them is not flooded with attempts.
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

  /** The open connection; `undefined` while it is lost. */
  get current(): T | undefined {
    return this.#current;
  }

  /** Opens the connection for the first time; rejects if that fails. */
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

  /** Records that the connection was used successfully, which resets the pauses. */
  succeeded(): void {
    this.#backoff.reset();
  }

  /** Stops reopening. An open connection stays open until `close`. */
  async leave(): Promise<void> {
    abort(this.#ending);
    await this.#keeping;
  }

  /** Closes the connection for good. */
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
      await opened.close(); // a channel can be lost while its connection stays open
    }
  }

  async #openAgain(): Promise<T | undefined> {
    const { name, context, open } = this.#options;
    let logged = "";
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
        if (reason !== logged) context.log.warn(`${name} unavailable, retrying`, { reason, ...stack });
        logged = reason;
      }
    }
  }
}

/** A resource that is opened when it is first needed. */
export interface OnDemand<A, T> {
  /** Returns the open resource; opens it if necessary. After a failed attempt, the next call tries again. */
  open(given: A): Promise<T>;
  /** Closes the resource, even while it is being opened. */
  close(): Promise<void>;
}

/** Returns a resource that opens at the first call of `open`. */
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
      const present = await opened?.catch(() => undefined); // if opening failed, nothing has to be closed
      if (present !== undefined) await close(present);
    },
  };
}
