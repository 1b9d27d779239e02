import { findChannel, type InprocChannel } from "../../component/channels.ts";
import type { Demand, Output } from "../../component/component.ts";
import { notConnected } from "../../component/persistence.ts";
import { abort } from "../../concurrency/abort.ts";
import { GatewayError } from "../../errors.ts";
import type { InprocOutputOptions } from "./generated/output-options.ts";

/**
 * Writes to a channel that other streams of the gateway read. A write is confirmed when the stream that received it
 * has delivered it; the response there is the response here. Without a reader there is no demand.
 */
export function inprocOutput(name: InprocOutputOptions): Output {
  const demand = new ChannelDemand();
  const closing = new AbortController();
  return {
    demand,
    async start({ gateway, organisation }) {
      if (gateway === undefined) throw new GatewayError(500, "`inproc` works within a gateway only");
      demand.bind(findChannel(gateway, organisation, name));
    },
    async write(batch) {
      const { channel } = demand;
      if (channel === undefined) throw notConnected();
      return channel.write(batch, AbortSignal.any([closing.signal, demand.end]));
    },
    async close() {
      abort(closing);
    },
  };
}

/** The demand of a channel that is only known after the start. */
class ChannelDemand implements Demand {
  channel: InprocChannel | undefined;
  readonly #listeners = new Set<() => void>();
  #released = new AbortController();

  get wanted(): boolean {
    return this.channel?.wanted === true;
  }

  /** Aborted when waiting messages have to be returned. */
  get end(): AbortSignal {
    return this.#released.signal;
  }

  bind(channel: InprocChannel): void {
    this.channel = channel;
    channel.onChange(() => {
      if (channel.wanted) this.#released = new AbortController();
      this.#notify();
    });
    if (channel.wanted) this.#notify();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  release(): void {
    if (!this.wanted) abort(this.#released);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
