// Files of the machine, which the compiler lets documents use only where that is allowed; and paths as texts, for which no
// file is touched.

import { posix } from "node:path";
import { MappingError } from "../errors.ts";
import { parseJsonText } from "../message/json.ts";
import type { Value } from "../message/value.ts";
import { readMachineFile } from "../process/machine-files.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { arrayTarget, boolArgument, spelledTarget, textArgument } from "./arguments.ts";
import { failedOn, wrongType } from "./failures.ts";

/** What a call whose path is a literal has read, once it has. */
export interface KeptFile {
  content: Value | undefined;
}

/** The bytes of a file; throws `MappingError`. */
export type ReadBytes = (path: string) => Uint8Array;

/** Nothing read yet. */
export function createFile(): KeptFile {
  return { content: undefined };
}

/** `file(path, no_cache)`: relative to where the process runs. */
export function file(
  kept: KeptFile | undefined,
  path: Value,
  noCache: Value,
  read: ReadBytes = readBytes,
): Value {
  const name = textArgument("function 'file'", "path", path);
  const again = boolArgument("function 'file'", "no_cache", noCache);
  return keptUnless(again, kept, () => read(name));
}

/** `file_rel(path, no_cache)`: relative to `folder`, that of the mapping's own file. */
export function fileRel(
  kept: KeptFile | undefined,
  folder: string,
  path: Value,
  noCache: Value,
  read: ReadBytes = readBytes,
): Value {
  const name = textArgument("function 'file_rel'", "path", path);
  const again = boolArgument("function 'file_rel'", "no_cache", noCache);
  return keptUnless(again, kept, () => read(besides(folder, name)));
}

/** `file_rel_json(path)`: the document in a file. */
export function fileRelJson(
  kept: KeptFile | undefined,
  folder: string,
  path: Value,
  read: ReadBytes = readBytes,
): Value {
  const name = textArgument("function 'file_rel_json'", "path", path);
  return keptUnless(false, kept, () => {
    const parsed = parseJsonText(Buffer.from(read(besides(folder, name))).toString("utf8"));
    if ("reason" in parsed) throw new MappingError(`${name}: ${parsed.reason}`);
    return parsed.value;
  });
}

function besides(folder: string, path: string): string {
  return posix.isAbsolute(path) ? path : posix.join(folder, path);
}

function keptUnless(again: boolean, kept: KeptFile | undefined, read: () => Value): Value {
  if (again || kept === undefined) return read();
  kept.content ??= read();
  return kept.content;
}

/** The bytes of a file of the machine, or a failure in the words of Go. */
export function readBytes(path: string): Uint8Array {
  try {
    return readMachineFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new MappingError(`open ${path}: ${reasons[code] ?? "the file cannot be read"}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOENT: "no such file or directory",
};

/** `.filepath_join()`: the elements as one clean path; empty ones do not count. */
export function filepathJoin(target: Value, from: string): string {
  const elements = arrayTarget(target, from).map((element, index) => {
    if (typeof element === "string") return element;
    if (element instanceof Uint8Array) return decodeUtf8(element);
    throw failedOn(from, `path element ${index}: ${wrongType("", ["string"], element).message}`);
  });
  const written = elements.filter((element) => element !== "").join("/");
  const clean = written === "" ? "" : posix.normalize(written);
  return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
}

/** `.filepath_split()`: the folder with its last slash, and the name. */
export function filepathSplit(target: Value, from: string): readonly Value[] {
  const path = spelledTarget(target, from);
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}
