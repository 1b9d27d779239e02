// The catalogue of all builtins by name.

import { arrays } from "./arrays.ts";
import type { Builtin } from "./builtin.ts";
import { encoding } from "./encoding.ts";
import { caches, files, geoip } from "./files.ts";
import { general } from "./general.ts";
import { fake, identifiers } from "./identifiers.ts";
import { messages } from "./messages.ts";
import { numbers } from "./numbers.ts";
import { objects } from "./objects.ts";
import { documents, parsing } from "./parsing.ts";
import { secrets } from "./secrets.ts";
import { regexp, strings } from "./strings.ts";
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

/** The functions and methods that mappings may call: those of this package and those of the packages in a set. */
export interface BuiltinCatalogue {
  /** All builtins, in the order of their families. */
  readonly builtins: readonly Builtin[];
  /** Whether a package could not be loaded, so that unknown names may belong to it. */
  readonly isPartial: boolean;
  findFunction(name: string): Builtin | undefined;
  findMethod(name: string): Builtin | undefined;
  /** Returns the names of all functions or methods, sorted. */
  names(kind: Builtin["kind"]): readonly string[];
}

/** Creates a catalogue. Names must be unique among functions and among methods. */
export function createBuiltinCatalogue(builtins: readonly Builtin[], isPartial = false): BuiltinCatalogue {
  const functions = byName("function", builtins);
  const methods = byName("method", builtins);
  return {
    ...{ builtins, isPartial },
    findFunction: (name) => functions.get(name),
    findMethod: (name) => methods.get(name),
    names: (kind) => [...(kind === "function" ? functions : methods).keys()].sort(),
  };
}

function byName(kind: Builtin["kind"], builtins: readonly Builtin[]): ReadonlyMap<string, Builtin> {
  const found = builtins.filter((builtin) => builtin.kind === kind);
  return new Map(found.map((builtin) => [builtin.name, builtin]));
}

/** The functions and methods of this package. */
export const coreBuiltins: BuiltinCatalogue = createBuiltinCatalogue(families.flat());
