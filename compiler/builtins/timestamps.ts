// Methods on timestamps and durations, the result types of conversions to timestamps, and which calls on timestamps
// can fail. They are implemented in runtime/mapping/timestamps.ts.

import { never, type Type, timestamp } from "../value-types/type.ts";
import { type Builtin, type CallTypes, type Details, method, optional, parameter } from "./builtin.ts";
import { canBe, isOnly } from "./results/members.ts";

const module = "timestamps.ts";
const folded: Details = { staticFolding: true };
/** Texts must be RFC 3339, so the conversion can fail; numbers are seconds since 1970. */
const onTimestamp: Details = {
  ...folded,
  targets: ["timestamp", "number", "string", "bytes"],
  fails: unlessTimestamp,
};
const toTimestamp: Details = { ...onTimestamp, returns: "timestamp" };
const toInteger: Details = { ...onTimestamp, returns: "integer" };
const toText: Details = { ...onTimestamp, returns: "string" };
const layout = parameter("format", "string", "2006-01-02T15:04:05.999999999Z07:00");
const zone = optional("tz", "string");

/** The parameters of `ts_format` and `ts_strftime`. */
const byLayout: Details = { ...toText, args: [layout, zone] };
const byFormat: Details = { ...toText, args: [parameter("format", "string"), zone] };
/** The text of a timestamp is also RFC 3339. */
const fromText: Details = {
  ...folded,
  targets: ["string", "bytes", "timestamp"],
  args: [parameter("format", "string")],
};
const span: Details = { ...folded, targets: ["string", "bytes"], returns: "integer" };

const period = parameter("duration", "string");

export const timestamps: readonly Builtin[] = [
  method(module, "ts_parse", "Parses a timestamp with a Go layout, such as `2006-01-02 15:04:05`.", {
    ...fromText,
    returns: "timestamp",
  }),
  method(module, "ts_strptime", "Parses a timestamp with a strptime format, such as `%Y-%m-%d`.", {
    ...fromText,
    returns: "timestamp",
  }),
  method(
    module,
    "ts_format",
    "Formats a timestamp with a Go layout, in a time zone if one is given.",
    byLayout,
  ),
  method(module, "ts_strftime", "Formats a timestamp with a strftime format.", byFormat),
  method(module, "ts_round", "Rounds a timestamp to the nearest multiple of a duration in nanoseconds.", {
    ...toTimestamp,
    args: [parameter("duration", "integer")],
  }),
  method(module, "ts_tz", "Converts a timestamp to another time zone.", {
    ...toTimestamp,
    args: [parameter("tz", "string")],
  }),
  method(module, "ts_add_iso8601", "Adds an ISO 8601 duration, such as `P1Y2MT3H`, to a timestamp.", {
    ...toTimestamp,
    args: [period],
  }),
  method(module, "ts_sub_iso8601", "Subtracts an ISO 8601 duration from a timestamp.", {
    ...toTimestamp,
    args: [period],
  }),
  method(module, "ts_sub", "The time from another timestamp to this one, in nanoseconds.", {
    ...toInteger,
    args: [parameter("t2", "timestamp")],
  }),
  method(module, "ts_unix", "The Unix time in seconds.", toInteger),
  method(module, "ts_unix_milli", "The Unix time in milliseconds.", toInteger),
  method(module, "ts_unix_micro", "The Unix time in microseconds.", toInteger),
  method(module, "ts_unix_nano", "The Unix time in nanoseconds.", toInteger),
  method(module, "parse_duration", "Parses a duration, such as `1h30m`, to nanoseconds.", {
    ...span,
  }),
  method(
    module,
    "parse_duration_iso8601",
    "Parses an ISO 8601 duration, such as `PT1H30M`, to nanoseconds.",
    {
      ...span,
    },
  ),
  method(
    module,
    "timestamp",
    "Converts the value to a timestamp. Returns a default, if given, if the value cannot be converted.",
    {
      returns: "timestamp",
      args: [optional("default", "timestamp")],
      result: asTimestamp,
      fails: unlessTimestampOrDefault,
      converts: ["timestamp", "number", "string", "bytes"],
    },
  ),
  method(module, "parse_timestamp", "Like `ts_parse`, but returns a string.", {
    ...fromText,
    returns: "string",
    successor: { name: "ts_parse", same: "never" },
  }),
  method(module, "parse_timestamp_strptime", "Like `ts_strptime`, but returns a string.", {
    ...fromText,
    returns: "string",
    successor: { name: "ts_strptime", same: "never" },
  }),
  renamed("format_timestamp", "ts_format", { ...byLayout, symbol: "formatTimestampBy" }),
  renamed("format_timestamp_strftime", "ts_strftime", byFormat),
  renamed("format_timestamp_unix", "ts_unix", { ...toInteger, symbol: "tsUnix" }),
  renamed("format_timestamp_unix_milli", "ts_unix_milli", { ...toInteger, symbol: "tsUnixMilli" }),
  renamed("format_timestamp_unix_micro", "ts_unix_micro", { ...toInteger, symbol: "tsUnixMicro" }),
  renamed("format_timestamp_unix_nano", "ts_unix_nano", { ...toInteger, symbol: "tsUnixNano" }),
];

function renamed(name: string, successor: string, details: Details): Builtin {
  return method(module, name, `The old name of \`${successor}\`.`, {
    ...details,
    successor: { name: successor, same: "always" },
  });
}

/** Returns a timestamp; `Never` if the target cannot be one and no default is given. */
function asTimestamp({ target, args: [fallback] }: CallTypes): Type {
  const possible = canBe(target, "Timestamp", "Integer", "Float", "String", "Bytes");
  return possible || fallback !== undefined ? timestamp : never;
}

/**
 * Whether the call can fail: a text may be an invalid time, a number an invalid year, and a zone or format may not
 * exist. Literals are checked at compile time.
 */
function unlessTimestamp({ target, args }: CallTypes): boolean {
  const settled = args.every(
    (type) => type === undefined || isLiteralText(type) || isOnly(type, "Timestamp", "Integer", "Float"),
  );
  return !(settled && isOnly(target, "Timestamp"));
}

/** Whether the target may not be a timestamp, and neither may the default, which is checked first. */
function unlessTimestampOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  if (fallback === undefined) return !isOnly(target, "Timestamp");
  return !isOnly(fallback, "Timestamp");
}

function isLiteralText(type: Type): boolean {
  return type.kind === "String" && type.value !== undefined;
}
