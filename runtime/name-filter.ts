// Which of many names a component lets through.

import { RE2JS } from "re2js";
import { GatewayError } from "./errors.ts";
import type { Metadata } from "./message.ts";
import { metadataText } from "./metadata.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What documents say; nothing passes unless it is listed. */
export interface NameFilter {
  readonly include_prefixes?: readonly string[];
  /** Of RE2, whose time grows with the name alone: names may come from whoever sends messages. */
  readonly include_patterns?: readonly string[];
}

/** Whether a name passes: it begins with one of the prefixes, or one of the patterns is found in it. */
export function createNameFilter(filter: NameFilter = {}): (name: string) => boolean {
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
    throw new GatewayError(500, "`include_patterns` holds what is no regular expression of RE2", {
      cause: error,
    });
  }
}

/** The metadata whose names pass, as text. */
export function filterMetadata(metadata: Metadata, passes: (name: string) => boolean): [string, string][] {
  const passed: [string, string][] = [];
  for (const [name, value] of metadata) {
    if (!passes(name)) continue;
    const text = metadataText(value);
    passed.push([name, typeof text === "string" ? text : decodeUtf8(text)]);
  }
  return passed;
}
