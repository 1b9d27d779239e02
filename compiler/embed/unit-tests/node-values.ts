// Converts values of a test definition to plain values, and compares them with results.

import type { DocumentNode } from "../../trees/document.ts";
import { isRecord } from "../../value-types/records.ts";

/** Returns the plain value of a node. Unlike `toJson`, it keeps all digits of big integers. */
export function plainValue(node: DocumentNode): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plainValue);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
  }
}

/** Returns the text of a scalar as written, such as `1.50`; an empty text if there is none. */
export function writtenText(node: DocumentNode | undefined): string {
  if (node?.kind !== "scalar" || node.value === null) return "";
  const { value, span } = node;
  return typeof value === "string" ? value : span.source.text.slice(span.start, span.end);
}

/** Returns the plain value of a node that becomes a message: integers beyond 64 bits become floats. */
export function givenValue(node: DocumentNode): unknown {
  if (node.kind === "list") return node.items.map(givenValue);
  if (node.kind === "map")
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, givenValue(value)]));
  const { value } = node;
  const fits = typeof value !== "bigint" || BigInt.asIntN(64, value) === value || isUnsigned(value);
  return fits ? value : Number(value);
}

function isUnsigned(value: bigint): boolean {
  return BigInt.asUintN(64, value) === value;
}

/** Whether two plain values are equal. Numbers are compared by value, regardless of their type. */
export function samePlain(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length === expected.length && expected.every((each, at) => samePlain(actual[at], each));
  }
  if (isRecord(actual) && isRecord(expected)) {
    const keys = Object.keys(expected);
    return (
      Object.keys(actual).length === keys.length && keys.every((key) => sameField(actual, expected, key))
    );
  }
  return sameScalar(actual, expected);
}

/** Whether `actual` contains `expected`; it may have more keys, and more elements at the end of an array. */
export function containsPlain(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length >= expected.length && expected.every((each, at) => containsPlain(actual[at], each));
  }
  if (isRecord(actual) && isRecord(expected)) {
    return Object.keys(expected).every(
      (key) => Object.hasOwn(actual, key) && containsPlain(actual[key], expected[key]),
    );
  }
  return sameScalar(actual, expected);
}

function sameField(
  actual: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  key: string,
): boolean {
  return Object.hasOwn(actual, key) && samePlain(actual[key], expected[key]);
}

function sameScalar(actual: unknown, expected: unknown): boolean {
  if (isNumber(actual) && isNumber(expected)) {
    // Only the loose comparison compares a `bigint` with a `number` by value.
    // biome-ignore lint/suspicious/noDoubleEquals: see above.
    return actual == expected;
  }
  return actual === expected;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
