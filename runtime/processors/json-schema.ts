// `json_schema`: only documents that fit go on as if nothing was.

import type { Processor } from "../component/component.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import { compileText, findFaults } from "../mapping/json-schema.ts";
import type { Message } from "../message/message.ts";
import type { JsonSchemaOptions } from "./generated/json-schema-options.ts";

/** Messages pass unchanged; those that do not fit, or are not JSON, are flagged with a line for each fault. */
export function judgeJson({ schema = "true" }: JsonSchemaOptions): Processor {
  // Known to be a schema since the gateway was built.
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
      return message.withFailure(toGatewayError(error, 500, "the message could not be judged"));
    }
  }

  return { process: (batch) => [batch.map(judge)] };
}
