// The functions of the language that look outside, for callers who say what is there.

import type { Value } from "../../runtime/value.ts";
import type { Replacements } from "./evaluate-code.ts";
import { loadRuntime } from "./runtime-modules.ts";

/** What a mapping sees of its host. */
export interface Host {
  /** What `env()` reads; the environment of this process without it. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What to link in place of the runtime's own functions. */
export function hostFunctions({ environment }: Host): Replacements {
  if (environment === undefined) return {};
  return {
    env(name: Value): Value {
      const { textArgument } = loadRuntime("runtime/mapping/arguments.ts");
      const key = textArgument("function 'env'", "name", name);
      return Object.hasOwn(environment, key) ? (environment[key] ?? null) : null;
    },
  };
}
