// Paths as documents write them: `/` between parts, relative to the file they stand in. Pure text.

import { posix } from "node:path";

/** The folder of a file; empty for a bare name. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return posix.basename(path);
}

/** `orders` of `apis/orders.yaml`: the last part without its ending. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/(?<=.)\.[^.]*$/, "");
}

/** The path that `relative`, written in the file `from`, names. */
export function resolvePath(from: string, relative: string): string {
  return posix.isAbsolute(relative) ? posix.normalize(relative) : posix.join(folderOf(from), relative);
}

/** The path as people see it: relative to the working directory where it lies below it. */
export function shortenPath(path: string, workingDirectory: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/"));
  const base = workingDirectory.replaceAll("\\", "/").replace(/\/?$/, "/");
  return normal.startsWith(base) && normal.length > base.length ? normal.slice(base.length) : normal;
}

/** The ends of the names of unit tests, without `.yaml`. */
export const testSuffixes: readonly string[] = ["_bento_test", "_benthos_test", "_test"];

/** `orders.yaml` of `orders_test.yaml`, by their names; other files are about themselves. */
export function testedFile(file: string): string {
  const [, stem = "", ending = ""] = /^(.*?)(\.[^./]*)$/s.exec(file) ?? [];
  const suffix = testSuffixes.find((each) => stem.endsWith(each));
  return suffix === undefined ? file : `${stem.slice(0, -suffix.length)}${ending}`;
}
