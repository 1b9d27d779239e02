// `sluice schema`: one JSON Schema for whole documents on standard output.

import { gatewayFileSchema, wholeDocumentSchema } from "../../../schemas/whole-document.ts";
import type { SetOption } from "../command-options.ts";
import { dialectOf } from "../set-dialect.ts";

/** What `sluice schema` was told. */
export interface SchemaCommandOptions extends SetOption {
  /** The schema of `gateway.yaml` in place of that of API documents. */
  readonly gateway?: boolean;
}

/** Prints the schema that editors complete and check documents by. Gives the exit code. */
export async function runSchema(options: SchemaCommandOptions = {}): Promise<number> {
  const dialect = await dialectOf(options);
  if (dialect === undefined) return 1;
  const { components } = dialect;
  const schema = options.gateway === true ? gatewayFileSchema(components) : wholeDocumentSchema(components);
  process.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`);
  return 0;
}
