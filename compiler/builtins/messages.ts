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
  fn(module, "json", "The content of the message as a JSON document, or the value at a path in it.", {
    ...run,
    canFail: true,
    args: [parameter("path", "string", "")],
  }),
  fn(module, "content", "The content of the message as bytes.", { ...run, returns: "bytes" }),
  fn(
    module,
    "metadata",
    "A metadata value of the input message, or all of them. In a mutation, includes the changes made so far.",
    {
      ...run,
      result: metadataValue,
      args: [parameter("key", "string", "")],
    },
  ),
  fn(
    module,
    "meta",
    "A metadata value of the input message as a string, or all of them. In a mutation, includes the changes made so far.",
    {
      ...run,
      args: [parameter("key", "string", "")],
      result: metadataText,
      successor: { name: "metadata", same: "text" },
    },
  ),
  fn(module, "root_meta", "A metadata value of the output message as a string, or all of them.", {
    ...run,
    args: [parameter("key", "string", "")],
    result: metadataText,
    deprecated: true,
  }),
  fn(module, "error", "The error of the message, or null if it did not fail.", absentText),
  fn(module, "errored", "Whether the message has failed.", { ...run, returns: "bool" }),
  fn(
    module,
    "error_source_label",
    "The label of the component that failed on the message, or null if none failed.",
    absentText,
  ),
  fn(
    module,
    "error_source_path",
    "The path of the component that failed on the message, or null if none failed.",
    absentText,
  ),
  fn(
    module,
    "error_source_type",
    "The type of the component that failed on the message, or null if none failed.",
    absentText,
  ),
  fn(module, "error_source_name", "The same as `error_source_type`.", {
    ...absentText,
    symbol: "errorSourceType",
  }),
  fn(module, "flow_id", "An id that stays the same for the lifetime of the message.", {
    ...run,
    returns: "string",
  }),
  fn(module, "tracing_id", "The trace id of the message, or zeros if it has none.", {
    ...run,
    returns: "string",
  }),
  fn(
    module,
    "tracing_span",
    "The trace context of the message to propagate to other services, or null if it has none.",
    {
      ...run,
      result: always(traceFields),
    },
  ),
  fn(module, "batch_index", "The index of the message in its batch, from 0.", number),
  fn(module, "batch_size", "The number of messages in the batch.", number),
];
