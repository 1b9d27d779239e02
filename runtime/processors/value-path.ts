// Places in documents that options name: `meta.workflow`.

import { isObject, type Value } from "../message/value.ts";

/** The keys of a path; `~1` stands for a dot in a key, `~0` for a tilde. None for an empty path. */
export function splitPath(path: string): readonly string[] {
  if (path === "") return [];
  return path.split(".").map((key) => key.replaceAll("~1", ".").replaceAll("~0", "~"));
}

/** What stands at a place; `undefined` where there is none. */
export function readPath(value: Value, path: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const key of path)
    at = at !== undefined && isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** A copy with another value at a place; what stands in its way and is no object makes room. */
export function writePath(value: Value, path: readonly string[], written: Value): Value {
  const [key, ...rest] = path;
  if (key === undefined) return written;
  const object = isObject(value) ? value : {};
  const inner = Object.hasOwn(object, key) ? (object[key] ?? null) : null;
  return { ...object, [key]: writePath(inner, rest, written) };
}
