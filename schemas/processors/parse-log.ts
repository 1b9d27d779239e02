import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./parse-log.schema.json" with { type: "json" };

/** The processor `parse_log`. */
export const parseLogProcessor: ProcessorDescriptor = defineProcessor({
  name: "parse_log",
  schema,
  ...oneOf("format", [
    ["syslog_rfc5424", "runtime/processors/parse-log/rfc5424.ts", "parseRfc5424"],
    ["syslog_rfc3164", "runtime/processors/parse-log/rfc3164.ts", "parseRfc3164"],
  ]),
  inspect: { module: "runtime/processors/parse-log/inspect.ts", symbol: "inspectParseLog" },
  flow: { kind: "message", effect: { content: "inspected" } },
  mayFail: "the message may not be a line of the format",
});
