// The message shapes a stream declares, as schemas that stand for themselves.

import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { ApiDocument } from "../parse/document/api.ts";
import type { MessageSchemaPlan } from "./plan.ts";
import { selfContained } from "./self-contained-schema.ts";

/** The declared shapes of a stream's messages, none where nothing is declared. */
export function planMessageSchemas(
  { input, output }: DeclaredSchemas,
  api: ApiDocument,
): readonly MessageSchemaPlan[] {
  return [
    ...(input === undefined ? [] : [{ role: "input" as const, schema: selfContained(input, api) }]),
    ...(output === undefined ? [] : [{ role: "output" as const, schema: selfContained(output, api) }]),
  ];
}
