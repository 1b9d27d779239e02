// The functions that every query may call, by name and number of arguments.

import { type BuiltinCall, type Builtins, plain } from "./builtin.ts";
import { mathBuiltins } from "./builtins-math.ts";
import { patternBuiltins } from "./builtins-patterns.ts";
import { queryBuiltins } from "./builtins-queries.ts";
import { textBuiltins } from "./builtins-texts.ts";
import { timeBuiltins } from "./builtins-times.ts";
import { valueBuiltins } from "./builtins-values.ts";

const tables: readonly Builtins[] = [
  queryBuiltins,
  valueBuiltins,
  textBuiltins,
  patternBuiltins,
  mathBuiltins,
  timeBuiltins,
  { "builtins/0": plain(() => tables.flatMap((table) => Object.keys(table)).sort()) },
];

/** The function of that name and number of arguments. */
export function findBuiltin(name: string, count: number): BuiltinCall | undefined {
  const key = `${name}/${count}`;
  return tables.find((table) => Object.hasOwn(table, key))?.[key];
}
