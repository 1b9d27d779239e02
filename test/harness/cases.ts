import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "./directories.ts";

/** A case folder, as passed to the function that runs it. */
export interface Case {
  /** The folder's name, which states the behaviour that the case shows. */
  readonly name: string;
  /** Returns the path of a file of the case, whether it exists or not. */
  path(file: string): string;
  /** Names of the files in the folder, sorted. */
  readonly files: readonly string[];
  /** Returns the text of a file of the case, which must exist. */
  read(file: string): string;
  /**
   * Compares the whole file with `actual`, and fails if it differs or is missing. With `UPDATE=1` it writes the file
   * instead.
   */
  expectFile(file: string, actual: string): void;
}

/**
 * Makes each folder in `folder` (relative to the project's root) a test, in the order of their names. `npm test --
 * WORDS` runs only the cases whose names contain all of the words, or all cases if there are none.
 */
export function cases(folder: string, run: (each: Case) => void | Promise<void>): void {
  const root = resolve(projectRoot, folder);
  const names = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) throw new Error(`${folder} has no case folder`);
  const tests = suite(folder);
  for (const name of narrowed(names)) tests(name, () => run(openCase(root, name)));
  tests.run();
}

function narrowed(names: readonly string[]): readonly string[] {
  const words = (process.env.SLUICE_TEST_WORDS ?? "").split(" ");
  const matching = names.filter((name) => words.every((word) => name.includes(word)));
  return matching.length === 0 ? names : matching;
}

function openCase(root: string, name: string): Case {
  const path = (file: string) => join(root, name, file);
  return {
    name,
    path,
    files: readdirSync(join(root, name)).sort(),
    read: (file) => readFileSync(path(file), "utf8"),
    expectFile: (file, actual) => expectFile(path(file), `${name}/${file}`, actual),
  };
}

function expectFile(path: string, label: string, actual: string): void {
  if (process.env.UPDATE === "1") {
    if (process.env.CI === "true") throw new Error("UPDATE=1 would make every case pass: not in CI");
    writeFileSync(path, actual);
    return;
  }
  if (!existsSync(path))
    throw new Error(`${label} is missing: write it with UPDATE=1; it would be\n${actual}`);
  const expected = readFileSync(path, "utf8");
  if (actual === expected) return;
  const hint = `${label} differs (UPDATE=1 rewrites it):`;
  // `fixture` prints a line by line difference, but forgives indentation and line endings.
  assert.fixture(actual, expected, hint);
  assert.is(actual, expected, hint);
}
