// `sluice explain GWnnnn`

import { catalogue } from "../../diagnostics/catalogue.ts";
import { explain } from "../../diagnostics/explain.ts";
import { suggest } from "../../diagnostics/suggest.ts";

/** Prints the page of a code. Gives the exit code. */
export async function runExplain(asked: string): Promise<number> {
  const code = asked.toUpperCase();
  const page = explain(code);
  if (page !== undefined) {
    process.stdout.write(page.endsWith("\n") ? page : `${page}\n`);
    return 0;
  }
  const nearest = suggest(code, Object.keys(catalogue));
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  process.stderr.write(`sluice: unknown diagnostic ${asked}.${hint}\n`);
  return 2;
}
