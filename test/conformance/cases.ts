import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../harness/directories.ts";

/** An entry of `behaviour.json`, as far as the suites read it. */
export interface BehaviourCase {
  readonly id: string;
  readonly mode: string;
  readonly mapping: string;
  readonly expression: boolean;
  readonly parse_error: string | null;
  readonly parse_error_exact?: boolean;
  readonly line?: number;
  readonly remaining?: string;
  readonly trailing_text_ignored?: string;
  readonly literal_parser?: string;
  readonly output: unknown;
  readonly processors?: readonly { readonly mapping: string }[];
  readonly maps?: Readonly<Record<string, string>>;
}

/** An entry of `examples.json`. */
export interface ExampleCase {
  readonly id: string;
  readonly mapping: string;
}

/** An entry of `interpolation.json`. */
export interface InterpolationCase {
  readonly id: string;
  readonly template: string;
  readonly parse_error: string | null;
  readonly static?: boolean;
  readonly dynamic_expressions?: number;
}

interface Skip {
  readonly suite: string;
  readonly id: string;
  readonly reason: string;
}

/** The entries of a file of `data/`. */
export function readCases<T extends { readonly id: string }>(file: string): readonly T[] {
  // The shape of the data is described in README.md; a case of another shape fails where it is used.
  return JSON.parse(readFileSync(join(projectRoot, "test/conformance/data", file), "utf8")) as readonly T[];
}

/** Reasons by id, of the cases that a suite leaves out. */
export function readSkips(suite: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(projectRoot, "test/conformance/skips.json"), "utf8");
  const skips = JSON.parse(text) as readonly Skip[];
  return new Map(skips.filter((skip) => skip.suite === suite).map(({ id, reason }) => [id, reason]));
}
