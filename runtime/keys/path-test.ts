// Regular expressions over paths that callers choose.

import { RE2JS } from "re2js";
import { EnvironmentError } from "../process/environment.ts";

/** Whether a path is meant. */
export type PathTest = (path: string) => boolean;

/**
 * A path is meant in which the pattern, of RE2, is found: its time grows with the path alone. Throws an
 * `EnvironmentError` for what is not a pattern, which only the environment can bring here.
 */
export function pathTest(pattern: string): PathTest {
  const compiled = compile(pattern);
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const isMeant = compiled.matcher(path).find();
    // Most requests are for few paths; those who choose many cannot fill the memory with them.
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
    // What is wrong with it quotes the pattern, which may come from a mounted secret.
    throw new EnvironmentError(["a `url` of access rights is not a valid RE2 expression"]);
  }
}
