// `$gw_context.…` and its like in texts that are taken as they stand.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SchemedValue } from "../values.ts";
import { textWithHoles } from "../written-text.ts";

/** Names that stand for something of a request, in this gateway's spelling and in the reference's. */
const variable =
  /\$(?:gw|tyk)_(?:context|meta)\.[\w-]+(?:\.[\w-]+)*|\$secret_(?:env|vault|consul|conf)\.[\w.-]+/;

/** Reports a variable of requests in a field that takes none. */
export function checkContextVariables({ name, value }: SchemedValue, report: Report): void {
  const texts = textWithHoles(value) ?? [];
  const written = texts.map((text) => variable.exec(text)?.[0]).find((found) => found !== undefined);
  if (written !== undefined) report("GW4089", value.span, { written, field: name });
}
