import { findChannel } from "../../component/channels.ts";
import type { Input } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import type { InprocInputOptions } from "./generated/input-options.ts";

/**
 * Reads what other streams of the gateway write to a channel. It has no acknowledgement of its own: each write
 * is confirmed or refused as its delivery here is, so that the input of the other stream decides.
 */
export function inprocInput(name: InprocInputOptions): Input {
  const deliveries = new Set<Promise<unknown>>();
  let leave: (() => void) | undefined;
  return {
    // Only messages of a source with positions have an order: other writers are callers that do not wait for each other.
    sequenceOf: ({ position }) => position && { name: position.part, isKey: false },
    async start(context) {
      const { gateway, organisation, signal } = context;
      if (gateway === undefined) throw new GatewayError(500, "`inproc` works within a gateway only");
      leave = findChannel(gateway, organisation, name).read(async (batch) => {
        // What failed there was let pass there; here it is a message as any other.
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
      await Promise.allSettled(deliveries);
    },
  };
}
