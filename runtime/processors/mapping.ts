// `mapping`, `bloblang` and `mutation`, which only differ in the function that the compiler makes of them; and the
// checks of `switch`.

import type { Processor } from "../component/component.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import { failedAssignment, wrongType } from "../mapping/failures.ts";
import type { Batch, Message } from "../message/message.ts";
import { deleted, type Value } from "../message/value.ts";
import type { MappingFunction, QueryFunction } from "./functions.ts";

/** Runs a compiled mapping on each message. If it fails, the message continues unchanged, marked as failed. */
export function mapping(map: MappingFunction): Processor {
  return {
    process(batch) {
      const mapped: Message[] = [];
      for (let index = 0; index < batch.length; index++) {
        const message = mapMessage(map, batch, index);
        if (message !== undefined) mapped.push(message);
      }
      return mapped.length === 0 ? [] : [mapped];
    },
  };
}

/** Runs a compiled mutation on each message. The compiled function sets the initial root. */
export const mutation: (map: MappingFunction) => Processor = mapping;

/** Whether a check is true for message `index`. Throws a `MappingError` if the result is not a bool. */
export function queryTrue(check: QueryFunction, batch: Batch, index: number): boolean {
  return boolOf(checked(check, batch, index));
}

/** The reference engine treats a check as a mapping with one line. */
function checked(check: QueryFunction, batch: Batch, index: number): Value {
  try {
    return check(batch, index);
  } catch (error) {
    throw failedAssignment(1, error);
  }
}

/** Returns the result of a check. Throws a `MappingError` if it is not a bool. */
export function boolOf(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (value === deleted) {
    throw new MappingError("query mapping resulted in deleted message, expected a boolean value");
  }
  throw wrongType("mapping", ["bool"], value);
}

/**
 * Returns the result of a mapping for message `index`. If it fails, returns the message unchanged, marked as failed.
 */
function mapMessage(map: MappingFunction, batch: Batch, index: number): Message | undefined {
  try {
    return map(batch, index);
  } catch (error) {
    return batch[index]?.withFailure(toGatewayError(error, 500, "the mapping failed"));
  }
}
