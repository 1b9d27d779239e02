// The types of compiled mappings, for the processors that run them.

import type { ComponentContext } from "../component/component.ts";
import { toGatewayError } from "../errors.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import type { MappingRun } from "../mapping/run.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Value } from "../message/value.ts";

// These are method types, so that a function may declare the content that it reads: the runtime passes messages whose
// content type only the compiler knows.

/** A compiled mapping. Returns the new message, `undefined` if it was dropped. Throws a `MappingError` if it fails. */
export type MappingFunction = { map(batch: Batch, index: number): Message | undefined }["map"] & {
  /** Texts that the mapping writes as values, for components that distinguish them from texts in messages. */
  readonly texts?: readonly string[];
};

/** Returns the mapping with the texts that it writes as values. */
export function withTexts(mapping: MappingFunction, texts: readonly string[]): MappingFunction {
  return Object.assign<MappingFunction, { texts: readonly string[] }>(
    (batch, index) => mapping(batch, index),
    { texts },
  );
}

/** A compiled mapping of a value. Returns `nothing` if it assigns nothing. Throws a `MappingError` if it fails. */
export type ValueFunction = (run: MappingRun, variables: undefined) => Value;

/** A compiled query. Throws a `MappingError` if it fails. */
export type QueryFunction = (batch: Batch, index: number) => Value;

/**
 * The `result_map` of a `branch`: reads message `index` of `result`, and writes to a copy of the message at `index` of
 * `origin`. Returns `undefined` if it dropped the message. Throws a `MappingError` if it fails.
 */
export type ResultMapFunction = {
  map(result: Batch, origin: Batch, index: number): Message | undefined;
}["map"];

/**
 * Logs a failure that leaves the message unchanged. The reason is only logged at debug level, because it may quote the
 * message.
 */
export function logFailure(context: ComponentContext, what: string, error: unknown): void {
  warnOfMessages(context, `${what} could not be computed`, 1);
  context.log.debug(`why ${what} could not be computed`, {
    reason: toGatewayError(error, 500, "unknown").message,
  });
}
