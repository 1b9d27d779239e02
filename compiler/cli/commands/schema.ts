// Runs `sluice schema`: prints one JSON Schema for whole documents.

import { gatewayFileSchema, wholeDocumentSchema } from "../../../schemas/whole-document.ts";
import type { SetOption } from "../command-options.ts";
import { dialectOf } from "../set-dialect.ts";

/** Options of `sluice schema`. */
export interface SchemaCommandOptions extends SetOption {
  /** Whether to print the schema of `gateway.yaml` instead of that of API documents. */
  readonly gateway?: boolean;
}

/** Prints the schema that editors use to complete and check documents. Returns the exit code. */
export async function runSchema(options: SchemaCommandOptions = {}): Promise<number> {
  const dialect = await dialectOf(options);
  if (dialect === undefined) return 1;
  const { components } = dialect;
  const schema = options.gateway === true ? gatewayFileSchema(components) : wholeDocumentSchema(components);
  process.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`);
  return 0;
}
