// What compiled mappings are to the processors that run them.

import type { Batch, Message } from "../message/message.ts";
import type { Value } from "../message/value.ts";

/** A compiled mapping: the new message, `undefined` where it was dropped; throws `MappingError`. */
export type MappingFunction = (batch: Batch, index: number) => Message | undefined;

/** A compiled query; throws `MappingError`. */
export type QueryFunction = (batch: Batch, index: number) => Value;

/**
 * The `result_map` of a `branch`: reads message `index` of `result`, writes to a copy of the same one of
 * `origin`. `undefined` where it dropped the message; throws `MappingError`.
 */
export type ResultMapFunction = (result: Batch, origin: Batch, index: number) => Message | undefined;
