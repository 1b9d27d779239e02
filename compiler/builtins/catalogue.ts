// Every builtin by its name.

import { arrays } from "./arrays.ts";
import type { Builtin } from "./builtin.ts";
import { caches } from "./caches.ts";
import { documents } from "./documents.ts";
import { encoding } from "./encoding.ts";
import { fake } from "./fake.ts";
import { files } from "./files.ts";
import { general } from "./general.ts";
import { geoip } from "./geoip.ts";
import { identifiers } from "./identifiers.ts";
import { messages } from "./messages.ts";
import { numbers } from "./numbers.ts";
import { objects } from "./objects.ts";
import { parsing } from "./parsing.ts";
import { regexp } from "./regexp.ts";
import { secrets } from "./secrets.ts";
import { strings } from "./strings.ts";
import { timestamps } from "./timestamps.ts";

const families = [
  general,
  messages,
  caches,
  strings,
  regexp,
  numbers,
  arrays,
  objects,
  encoding,
  parsing,
  documents,
  secrets,
  identifiers,
  files,
  geoip,
  fake,
  timestamps,
];

const functions = byName("function");
const methods = byName("method");

/** All builtins, in the order of their families. */
export function allBuiltins(): readonly Builtin[] {
  return families.flat();
}

/** The function of a name. */
export function findFunction(name: string): Builtin | undefined {
  return functions.get(name);
}

/** The method of a name. */
export function findMethod(name: string): Builtin | undefined {
  return methods.get(name);
}

/** The names of all functions or methods, sorted. */
export function builtinNames(kind: Builtin["kind"]): readonly string[] {
  return [...(kind === "function" ? functions : methods).keys()].sort();
}

function byName(kind: Builtin["kind"]): ReadonlyMap<string, Builtin> {
  const found = families.flat().filter((builtin) => builtin.kind === kind);
  return new Map(found.map((builtin) => [builtin.name, builtin]));
}
