import { MappingError } from "../../errors.ts";
import { zoneNamed } from "../../mapping/zones.ts";
import type { Inspected, Problem, WrittenOptions } from "../inspection.ts";

const texts = ["message", "timestamp", "hostname", "procid", "appname", "msgid"];
const numbers = ["priority", "facility", "severity"];

/** Returns the problems in the zone of a `parse_log` processor, and the fields of its lines. */
export function inspectParseLog(written: WrittenOptions): Inspected {
  const { format, best_effort: bestEffort, default_timezone: zone } = written;
  const isNew = format === "syslog_rfc5424";
  const properties = {
    ...Object.fromEntries(texts.map((name) => [name, { type: "string" }])),
    ...Object.fromEntries(numbers.map((name) => [name, { type: "integer" }])),
    ...(isNew && {
      version: { type: "integer" },
      structureddata: {
        type: "object",
        additionalProperties: { type: "object", additionalProperties: { type: "string" } },
      },
    }),
  };
  const required = [...numbers, ...(isNew ? ["version"] : bestEffort === false ? ["timestamp"] : [])];
  const produces = { type: "object", properties, required, additionalProperties: false };
  return { problems: zoneProblems(zone), produces };
}

function zoneProblems(zone: unknown): readonly Problem[] {
  if (typeof zone !== "string" || zone === "") return [];
  try {
    zoneNamed(zone);
    return [];
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return [
      { field: "default_timezone", message: error.message, hint: "Name a zone such as `Europe/Berlin`." },
    ];
  }
}
