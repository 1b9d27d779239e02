// Paths as documents write them: with `/` between parts, relative to the file that contains them. Pure string
// functions.

import { posix } from "node:path";

/** Returns the folder of a file; empty for a bare name. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** Returns the last part of a path. */
export function nameOf(path: string): string {
  return posix.basename(path);
}

/** Returns the last part of a path without its ending, such as `orders` for `apis/orders.yaml`. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/(?<=.)\.[^.]*$/, "");
}

/** Returns the path that `relative`, as written in the file `from`, refers to. */
export function resolvePath(from: string, relative: string): string {
  return posix.isAbsolute(relative) ? posix.normalize(relative) : posix.join(folderOf(from), relative);
}

/** Returns a path for display: relative to the working directory if the file is inside it. */
export function shortenPath(path: string, workingDirectory: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/"));
  const base = workingDirectory.replaceAll("\\", "/").replace(/\/?$/, "/");
  return normal.startsWith(base) && normal.length > base.length ? normal.slice(base.length) : normal;
}

/** The suffixes of the names of unit test files, without `.yaml`. */
export const testSuffixes: readonly string[] = ["_bento_test", "_benthos_test", "_test"];

/**
 * Returns the file that a unit test file tests by its name: `orders.yaml` for `orders_test.yaml`. Returns others as
 * they are.
 */
export function testedFile(file: string): string {
  const [, stem = "", ending = ""] = /^(.*?)(\.[^./]*)$/s.exec(file) ?? [];
  const suffix = testSuffixes.find((each) => stem.endsWith(each));
  return suffix === undefined ? file : `${stem.slice(0, -suffix.length)}${ending}`;
}
