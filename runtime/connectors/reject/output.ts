import type { Output } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import type { RejectOutputOptions } from "./generated/output-options.ts";

/**
 * Refuses every message with a text: an HTTP caller receives 422 with it, a broker keeps the message. Also accepts
 * messages that a processor failed on, because the gate would refuse them anyway.
 */
export function rejectOutput(text: RejectOutputOptions): Output {
  return {
    takesFailed: () => true,
    start: async () => undefined,
    async write(batch) {
      throw new GatewayError(422, textOf(text, batch, 0), { retryable: false, reason: "rejected" });
    },
    close: async () => undefined,
  };
}
