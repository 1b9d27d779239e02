// Named channels between the streams of one gateway: one stream writes to a channel, and another stream reads from it.

import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Delivered, Demand } from "./component.ts";
import type { GatewayScope, Scoped } from "./gateway-scope.ts";

/** Takes a batch into a stream; resolves and rejects like `InputContext.deliver`. */
export type ChannelReader = (batch: Batch) => Promise<Delivered>;

interface Waiting {
  readonly batch: Batch;
  settle(outcome: Promise<Delivered>): void;
  refuse(failure: GatewayError): void;
}

/**
 * A channel without a buffer: a write is confirmed when the stream that read the batch has delivered it, and fails when
 * that delivery fails. Writes wait while the channel has no reader. Several readers take turns.
 */
export class InprocChannel implements Demand {
  readonly #readers: ChannelReader[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<Waiting>();
  #turn = 0;

  get wanted(): boolean {
    return this.#readers.length > 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds a reader; returns a function that removes it. */
  read(reader: ChannelReader): () => void {
    this.#readers.push(reader);
    for (const write of this.#waiting) write.settle(this.#hand(write.batch));
    this.#waiting.clear();
    if (this.#readers.length === 1) this.#notify();
    return () => {
      const place = this.#readers.indexOf(reader);
      if (place === -1) return;
      this.#readers.splice(place, 1);
      if (this.#readers.length === 0) this.#notify();
    };
  }

  /** Passes a batch to a reader. Without a reader, waits for one; rejects when `end` is aborted first. */
  write(batch: Batch, end: AbortSignal): Promise<Delivered> {
    if (this.#readers.length > 0) return this.#hand(batch);
    if (end.aborted) return Promise.reject(noReader());
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.#waiting.delete(write);
        reject(noReader());
      };
      const write: Waiting = {
        batch,
        settle: (outcome) => {
          end.removeEventListener("abort", refuse);
          resolve(outcome);
        },
        refuse,
      };
      this.#waiting.add(write);
      end.addEventListener("abort", refuse, { once: true });
    });
  }

  #hand(batch: Batch): Promise<Delivered> {
    const reader = this.#readers[this.#turn % this.#readers.length];
    this.#turn += 1;
    return reader === undefined ? Promise.reject(noReader()) : reader(batch);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The channels of a gateway by organisation and name. */
const scopedChannels: Scoped<Map<string, InprocChannel>> = { create: () => new Map() };

/** Returns the channel with this name of an organisation in a gateway; creates it at the first call. */
export function findChannel(
  gateway: GatewayScope,
  organisation: string | undefined,
  called: string,
): InprocChannel {
  const name = JSON.stringify([organisation, called]);
  const channels = gateway.get(scopedChannels);
  const channel = channels.get(name) ?? new InprocChannel();
  channels.set(name, channel);
  return channel;
}

/** Not retryable: the caller returns the message to its input, so that the input can release it. */
function noReader(): GatewayError {
  return new GatewayError(503, "No stream reads the channel", { retryable: false });
}
