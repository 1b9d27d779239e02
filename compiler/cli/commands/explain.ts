// Runs `sluice explain`: explains a diagnostic code, or a component, function or method by its name.

import { catalogue } from "../../diagnostics/catalogue.ts";
import { explain } from "../../diagnostics/explain.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { SetOption } from "../command-options.ts";
import { misuse } from "../exit-codes.ts";
import { referenceOf } from "../reference.ts";
import { dialectOf } from "../set-dialect.ts";

/** Prints the page of a code, or the reference of a name. Returns the exit code. */
export async function runExplain(name: string, options: SetOption = {}): Promise<number> {
  const code = name.toUpperCase();
  const page = explain(code) ?? "";
  if (page !== "" || /^GW\d/.test(code)) return page === "" ? refuse(name) : print(page);
  const dialect = await dialectOf(options);
  if (dialect === undefined) return 1;
  const found = referenceOf(name, dialect);
  if (found !== "") return print(found);
  const { components, builtins } = dialect;
  const names = [...components.components, ...builtins.builtins].map(({ name }) => name);
  return refuse(name, names);
}

function print(text: string): number {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  return 0;
}

function refuse(name: string, names: readonly string[] = []): number {
  const nearest = suggest(name.toUpperCase(), Object.keys(catalogue)) ?? suggest(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return misuse(`unknown diagnostic ${name}.${hint}`);
}
