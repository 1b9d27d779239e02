// `sluice schema`: one JSON Schema for whole documents on standard output.

import { wholeDocumentSchema } from "../../../schemas/whole-document.ts";

/** Prints the schema that editors complete and check documents by. Gives the exit code. */
export async function runSchema(): Promise<number> {
  process.stdout.write(`${JSON.stringify(wholeDocumentSchema(), undefined, 2)}\n`);
  return 0;
}
