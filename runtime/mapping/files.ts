// Files of the machine; the compiler lets documents use these only where that is allowed.

import { posix } from "node:path";
import { MappingError } from "../errors.ts";
import { parseJsonText } from "../message/json.ts";
import type { Value } from "../message/value.ts";
import { readMachineFile } from "../process/machine-files.ts";
import { boolArgument, textArgument } from "./arguments.ts";

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
