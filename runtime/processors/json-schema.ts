// `json_schema`: marks messages that do not match a schema as failed.

import type { Processor } from "../component/component.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import { compileText, findFaults } from "../mapping/json-schema.ts";
import type { Message } from "../message/message.ts";
import type { JsonSchemaOptions } from "./generated/json-schema-options.ts";

/**
 * Messages pass unchanged. If a message does not match or is not JSON, it is marked as failed with a line for each
 * fault.
 */
export function judgeJson({ schema = "true" }: JsonSchemaOptions): Processor {
  // The schema was validated when the gateway was built.
  const check = compileText(schema);

  function judge(message: Message): Message {
    try {
      const document = message.document();
      if (document === undefined) {
        throw new MappingError(message.documentFailure());
      }
      const misfit = findFaults(check, document);
      if (misfit === undefined) return message;
      return message.withFailure(new MappingError(misfit.reason, misfit.reason, misfit.detail));
    } catch (error) {
      return message.withFailure(toGatewayError(error, 500, "the message could not be validated"));
    }
  }

  return { process: (batch) => [batch.map(judge)] };
}
