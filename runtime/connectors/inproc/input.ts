import { findChannel } from "../../component/channels.ts";
import type { Input } from "../../component/component.ts";
import { TransientSet } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import type { InprocInputOptions } from "./generated/input-options.ts";

/**
 * Reads messages that other streams of the gateway write to a channel. A write is confirmed or refused together with
 * its delivery here, so that the input of the other stream decides about acknowledgement.
 */
export function inprocInput(name: InprocInputOptions): Input {
  const deliveries = new TransientSet<Promise<unknown>>();
  let leave: (() => void) | undefined;
  return {
    // Only messages from a source with positions have an order: other writers are callers that do not wait for each
    // other.
    sequenceOf: ({ position }) => position && { name: position.part, isKey: false },
    async start(context) {
      const { gateway, organisation, signal } = context;
      if (gateway === undefined) throw new GatewayError(500, "`inproc` works within a gateway only");
      leave = findChannel(gateway, organisation, name).read(async (batch) => {
        // The other stream has accepted the failures of messages; here they are messages like any others.
        const delivery = context.deliver(batch.map((message) => message.withFailure(undefined)));
        deliveries.add(delivery);
        try {
          return await delivery;
        } finally {
          deliveries.delete(delivery);
        }
      });
      signal.addEventListener("abort", leave, { once: true });
    },
    async close() {
      leave?.();
      await Promise.allSettled(deliveries.values());
    },
  };
}
