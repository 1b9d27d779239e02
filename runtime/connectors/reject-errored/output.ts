import { wrapOutput } from "../../component/children.ts";
import type { Output } from "../../component/component.ts";
import { failureOf, writeThroughGate } from "../../component/gate.ts";
import type { RejectErroredOutputOptions } from "./generated/output-options.ts";

/**
 * Refuses a batch with a message that a processor failed on, with that failure, and hands all others to its
 * output. A `fallback` in front of it has sorted the failed ones out before.
 */
export function rejectErroredOutput(output: RejectErroredOutputOptions): Output {
  return wrapOutput(output, {
    takesFailed: () => true,
    async write(batch) {
      const failed = batch.find((message) => failureOf(message) !== undefined);
      if (failed === undefined) return writeThroughGate(output, batch);
      throw failureOf(failed);
    },
  });
}
