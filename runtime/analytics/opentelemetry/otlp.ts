// Words that metrics and traces share in OTLP's JSON (opentelemetry-proto 1.x, "JSON Protobuf Encoding"): integers of 64
// bits are text, ids are hexadecimal, enumerations are numbers.

import { wallTimeOf } from "../../process/wall-clock.ts";

/** Nothing else stands in attributes here. */
export type AttributeValue = string | number | boolean;

/** An attribute as OTLP has it. */
export interface KeyValue {
  readonly key: string;
  readonly value: object;
}

/** Attributes of what is known; what is `undefined` is left out. */
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

/** Nanoseconds since 1970 as text, of a time that `performance.now()` gave. */
export function nanosecondsAt(time: number): string {
  return `${Math.round(wallTimeOf(time) * 1000)}000`;
}

/** What the numbers and spans come from. */
export const scope = { name: "sluice" };

/** Attributes by the names that OpenTelemetry has for labels. */
export const labelNames: Readonly<Record<string, string>> = {
  api: "sluice.api",
  stream: "sluice.stream",
  verb: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  reason: "error.type",
  transport: "sluice.transport",
};
