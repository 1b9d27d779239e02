// Tests paths, which callers choose, with regular expressions.

import { RE2JS } from "re2js";
import { EnvironmentError } from "../process/environment.ts";

/** Whether a path matches. */
export type PathTest = (path: string) => boolean;

/**
 * Returns a test that searches paths for an RE2 pattern, in time linear in the length of the path. Throws an
 * `EnvironmentError` if the pattern is not valid, which can only happen if it comes from the environment.
 */
export function pathTest(pattern: string): PathTest {
  const compiled = compile(pattern);
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const isMeant = compiled.matcher(path).find();
    // Most requests are for few paths. The limits keep callers with many paths from filling the memory.
    if (known.size >= mostKnown) known.clear();
    if (path.length <= longestKnown) known.set(path, isMeant);
    return isMeant;
  };
}

const mostKnown = 1_000;
const longestKnown = 256;

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch {
    // Omit the cause: it quotes the pattern, which may come from a mounted secret.
    throw new EnvironmentError(["a `url` of access rights is not a valid RE2 expression"]);
  }
}
