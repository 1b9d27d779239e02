// What compiled mappings are to the processors that run them.

import type { ComponentContext } from "../component/component.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Value } from "../message/value.ts";

// The types of mappings are those of methods, so that a function may name the content that it reads: the runtime hands it
// messages whose content only the compiler knows.

/** A compiled mapping: the new message, `undefined` where it was dropped; throws `MappingError`. */
export type MappingFunction = { map(batch: Batch, index: number): Message | undefined }["map"] & {
  /** Texts that the mapping writes out as values, where the component tells them from those that messages give. */
  readonly texts?: readonly string[];
};

/** The mapping, and the texts that it writes out as values. */
export function withTexts(mapping: MappingFunction, texts: readonly string[]): MappingFunction {
  return Object.assign<MappingFunction, { texts: readonly string[] }>(
    (batch, index) => mapping(batch, index),
    { texts },
  );
}

/** A compiled query; throws `MappingError`. */
export type QueryFunction = (batch: Batch, index: number) => Value;

/**
 * The `result_map` of a `branch`: reads message `index` of `result`, writes to a copy of the same one of
 * `origin`. `undefined` where it dropped the message; throws `MappingError`.
 */
export type ResultMapFunction = {
  map(result: Batch, origin: Batch, index: number): Message | undefined;
}["map"];

/**
 * Tells of a failure that leaves the message as it is: what failed, and why only below the level that is on by
 * default, since the reason may quote the message.
 */
export function tellFailure({ log }: ComponentContext, what: string, error: unknown): void {
  log.warn(`${what} could not be computed`);
  log.debug(`why ${what} could not be computed`, { reason: toGatewayError(error, 500, "unknown").message });
}
