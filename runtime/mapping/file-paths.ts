// Paths of files as texts; no file is touched.

import { posix } from "node:path";
import type { Value } from "../message/value.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { arrayTarget, spelledTarget } from "./arguments.ts";
import { failedOn, wrongType } from "./failures.ts";

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
