// `mapping`, `bloblang` and `mutation`, which differ only in the function the compiler made of them; and
// the checks of `switch`.

import type { Processor } from "../component/component.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import { failedAssignment, wrongType } from "../mapping/failures.ts";
import type { Batch, Message } from "../message/message.ts";
import { deleted, type Value } from "../message/value.ts";
import type { MappingFunction, QueryFunction } from "./functions.ts";

/** Runs a compiled mapping on each message. One it fails on goes on as it was, flagged. */
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

/** Runs a compiled mutation on each message; what begins as what is the compiled function's business. */
export const mutation: (map: MappingFunction) => Processor = mapping;

/** Whether a check holds for message `index`: only bools will do. Throws `MappingError`. */
export function queryTrue(check: QueryFunction, batch: Batch, index: number): boolean {
  return boolOf(checked(check, batch, index));
}

/** The reference reads a check as a mapping of one line. */
function checked(check: QueryFunction, batch: Batch, index: number): Value {
  try {
    return check(batch, index);
  } catch (error) {
    throw failedAssignment(1, error);
  }
}

/** What a mapping that is a check has given. */
export function boolOf(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (value === deleted) {
    throw new MappingError("query mapping resulted in deleted message, expected a boolean value");
  }
  throw wrongType("mapping", ["bool"], value);
}

/** What a mapping makes of message `index`; as it was, flagged, where it fails. */
export function mapMessage(map: MappingFunction, batch: Batch, index: number): Message | undefined {
  try {
    return map(batch, index);
  } catch (error) {
    return batch[index]?.withFailure(toGatewayError(error, 500, "the mapping failed"));
  }
}
