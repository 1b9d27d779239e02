import type { Input } from "../../component/component.ts";
import { inputWithBatching } from "../../processors/around/with-batching.ts";
import type { BatchedInputOptions } from "./generated/input-options.ts";

/**
 * Collects the messages of an input into larger batches.
 * Each message is acknowledged with the batch that it became part of.
 */
export function batchedInput({ child, policy }: BatchedInputOptions): Input {
  return inputWithBatching(child, policy);
}
