// The common parts of metrics and traces in OTLP's JSON (opentelemetry-proto 1.x, "JSON Protobuf Encoding"): 64-bit
// integers are text, ids are hexadecimal, enumerations are numbers.

import { wallTimeOf } from "../../process/wall-clock.ts";

/** The types that attributes use here. */
export type AttributeValue = string | number | boolean;

/** An attribute in OTLP. */
export interface KeyValue {
  readonly key: string;
  readonly value: object;
}

/** Converts values to attributes; leaves out those that are `undefined`. */
export function attributesOf(
  values: Readonly<Record<string, AttributeValue | undefined>>,
): readonly KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: printValue(value) }],
  );
}

function printValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Converts a time of `performance.now()` to nanoseconds since 1970, as text. */
export function nanosecondsAt(time: number): string {
  return `${Math.round(wallTimeOf(time) * 1000)}000`;
}

/** The instrumentation scope of all metrics and spans. */
export const scope = { name: "sluice" };

/** The attribute names that OpenTelemetry defines for labels. */
export const labelNames: Readonly<Record<string, string>> = {
  api: "sluice.api",
  stream: "sluice.stream",
  verb: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  reason: "error.type",
  transport: "sluice.transport",
};
