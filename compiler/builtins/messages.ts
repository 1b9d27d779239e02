// Functions that read messages. They are implemented in runtime/mapping/messages.ts.

import { type Builtin, type Details, fn, parameter } from "./builtin.ts";
import { metadataText, metadataValue, textOrNull, traceFields } from "./results/shapes.ts";
import { always } from "./results/target.ts";

const module = "messages.ts";
/** Of these functions, only reading the document of a message without one can fail. */
const run: Details = { needs: "run", pure: false, canFail: false };
const absentText: Details = { ...run, result: always(textOrNull) };
const number: Details = { ...run, returns: "integer" };

export const messages: readonly Builtin[] = [
  fn(module, "json", "The message's document, or what stands at a path in it.", {
    ...run,
    canFail: true,
    args: [parameter("path", "string", "")],
  }),
  fn(module, "content", "The bytes of the message.", { ...run, returns: "bytes" }),
  fn(
    module,
    "metadata",
    "A metadata value of the message that came in, or all of them; in a mutation, as it has become.",
    {
      ...run,
      result: metadataValue,
      args: [parameter("key", "string", "")],
    },
  ),
  fn(
    module,
    "meta",
    "The text of a metadata value of the message that came in, or of all; in a mutation, as it has become.",
    {
      ...run,
      args: [parameter("key", "string", "")],
      result: metadataText,
      successor: { name: "metadata", same: "text" },
    },
  ),
  fn(module, "root_meta", "The text of a metadata value of the message being built, or of all.", {
    ...run,
    args: [parameter("key", "string", "")],
    result: metadataText,
    deprecated: true,
  }),
  fn(module, "error", "Why the message failed, null where it did not.", absentText),
  fn(module, "errored", "Whether the message failed.", { ...run, returns: "bool" }),
  fn(
    module,
    "error_source_label",
    "The label of the component that failed on the message, else null.",
    absentText,
  ),
  fn(
    module,
    "error_source_path",
    "Where the component that failed on the message stands, else null.",
    absentText,
  ),
  fn(
    module,
    "error_source_type",
    "The type of the component that failed on the message, else null.",
    absentText,
  ),
  fn(module, "error_source_name", "As `error_source_type`.", { ...absentText, symbol: "errorSourceType" }),
  fn(module, "flow_id", "An identifier that stays with the message.", { ...run, returns: "string" }),
  fn(module, "tracing_id", "The trace of the message; zeros where it has none.", {
    ...run,
    returns: "string",
  }),
  fn(module, "tracing_span", "What tells others of the message's trace, null where it has none.", {
    ...run,
    result: always(traceFields),
  }),
  fn(module, "batch_index", "The message's place in its batch, from 0.", number),
  fn(module, "batch_size", "How many messages the batch has.", number),
];
