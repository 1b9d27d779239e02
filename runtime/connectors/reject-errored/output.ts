import { wrapOutput } from "../../component/children.ts";
import type { Output } from "../../component/component.ts";
import { failureOf, writeThroughGate } from "../../component/gate.ts";
import type { RejectErroredOutputOptions } from "./generated/output-options.ts";

/**
 * Refuses a batch that contains a message on which a processor failed, with that failure. Passes all other batches to
 * its output. A `fallback` in front of it has already separated the failed messages.
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
