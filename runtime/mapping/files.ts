// Reads files of the machine, which the compiler allows only in some documents. Also manipulates paths as text, without
// accessing files.

import { posix } from "node:path";
import { MappingError } from "../errors.ts";
import { parseJsonText } from "../message/json.ts";
import type { Value } from "../message/value.ts";
import { readMachineFile } from "../process/machine-files.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { arrayTarget, boolArgument, spelledTarget, textArgument } from "./arguments.ts";
import { failedOn, wrongType } from "./failures.ts";

/** The content read by a call with a literal path, once it has been read. */
export interface KeptFile {
  content: Value | undefined;
}

/** Returns the bytes of a file. Throws a `MappingError` if it cannot be read. */
export type ReadBytes = (path: string) => Uint8Array;

/** Returns a `KeptFile` before the first read. */
export function createFile(): KeptFile {
  return { content: undefined };
}

/** `file(path, no_cache)`: the path is relative to the working directory of the process. */
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

/** `file_rel(path, no_cache)`: the path is relative to `folder`, the folder of the mapping's file. */
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

/** `file_rel_json(path)`: returns the document in a file. */
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

/** Returns the bytes of a file of the machine. Throws with the messages of Go. */
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

/** `.filepath_join()`: returns the elements as one cleaned path. Ignores empty elements. */
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

/** `.filepath_split()`: returns the folder with its trailing slash, and the name. */
export function filepathSplit(target: Value, from: string): readonly Value[] {
  const path = spelledTarget(target, from);
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}
