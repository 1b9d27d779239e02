// Messages in a trace, for tests.

import type { Message, TraceFields } from "../../runtime/message/message.ts";

/** Returns the message as part of a trace, as a gateway that records traces has it. */
export function withTrace(message: Message, trace: TraceFields): Message {
  const { metadata, parameters, failure, failureSource, place, position } = message;
  const others = { metadata, parameters, failure, failureSource, place, position };
  return message.accompaniedBy(() => ({ ...others, trace, parentTrace: undefined }));
}
