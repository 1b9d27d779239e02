// Filters the names that a component lets through.

import { RE2JS } from "re2js";
import { GatewayError } from "../errors.ts";
import { memoised } from "../text/memo.ts";

/** The filter as documents configure it. Only listed names pass. */
export interface NameFilter {
  readonly include_prefixes?: readonly string[];
  /** RE2 patterns. Their time grows linearly with the name, which may come from a message. */
  readonly include_patterns?: readonly string[];
}

/** Whether a name passes. */
export type NameTest = (name: string) => boolean;

/** Whether a filter lets any name through. */
export function namesAny({ include_prefixes = [], include_patterns = [] }: NameFilter = {}): boolean {
  return include_prefixes.length + include_patterns.length > 0;
}

/** Returns a test that passes names that begin with one of the prefixes or match one of the patterns anywhere. */
export function createNameFilter(filter: NameFilter = {}): NameTest {
  const prefixes = filter.include_prefixes ?? [];
  const patterns = (filter.include_patterns ?? []).map(compile);
  // Cached, because most names come again and again; a pattern takes microseconds.
  return memoised(
    512,
    (name) =>
      prefixes.some((prefix) => name.startsWith(prefix)) ||
      patterns.some((pattern) => pattern.matcher(name).find()),
  );
}

/**
 * Throws a `GatewayError` if the pattern is invalid: patterns from the environment are not known before the gateway
 * starts.
 */
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new GatewayError(500, "`include_patterns` contains an invalid RE2 expression", {
      cause: error,
    });
  }
}
