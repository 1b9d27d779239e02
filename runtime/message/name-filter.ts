// Which of many names a component lets through.

import { RE2JS } from "re2js";
import { GatewayError } from "../errors.ts";

/** What documents say; nothing passes unless it is listed. */
export interface NameFilter {
  readonly include_prefixes?: readonly string[];
  /** Of RE2, whose time grows with the name alone: names may come from messages. */
  readonly include_patterns?: readonly string[];
}

/** Whether a name passes. */
export type NameTest = (name: string) => boolean;

/** Whether a filter lets any name through. */
export function namesAny({ include_prefixes = [], include_patterns = [] }: NameFilter = {}): boolean {
  return include_prefixes.length + include_patterns.length > 0;
}

/** A name passes that begins with one of the prefixes, or in which one of the patterns is found. */
export function createNameFilter(filter: NameFilter = {}): NameTest {
  const prefixes = filter.include_prefixes ?? [];
  const patterns = (filter.include_patterns ?? []).map(compile);
  return (name) =>
    prefixes.some((prefix) => name.startsWith(prefix)) ||
    patterns.some((pattern) => pattern.matcher(name).find());
}

/** Patterns from the environment are not seen before the gateway starts. */
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new GatewayError(500, "`include_patterns` contains an invalid RE2 expression", {
      cause: error,
    });
  }
}
