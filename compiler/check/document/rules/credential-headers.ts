// Reads of headers that never become metadata of a request: credentials stay with the gateway.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf, servesClients } from "../../../model/components.ts";
import type { StreamNode } from "../../../trees/api.ts";
import { fieldsOf } from "../../../trees/fields.ts";
import type { MappingNode } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";
import { isLeftOut } from "../credentials.ts";
import { metadataReads } from "../metadata-reads.ts";

/** Reports reads of `Authorization` and the like in streams whose messages all come from requests. */
export function checkCredentialHeaders(stream: StreamNode, _api: ApiModel, report: Report): void {
  const inputs = endsOf(stream, "input");
  if (inputs.length === 0 || !inputs.every(servesClients)) return;
  const scripts = scriptsOf(stream);
  const written = new Set(scripts.flatMap(writtenNames));
  for (const { node, name } of scripts.flatMap(metadataReads)) {
    if (name !== undefined && isLeftOut(name) && !written.has(name))
      report("GW4057", node.span, { header: name });
  }
}

function scriptsOf(stream: StreamNode): readonly MappingNode[] {
  return [...fieldsOf({ apis: [{ streams: [stream] }] })].flatMap((field): readonly MappingNode[] => {
    if (field.kind === "Mapping") return [field.mapping];
    if (field.kind === "Query") return [field.query];
    return field.kind === "Template" ? [field.template] : [];
  });
}

/** Names of metadata that a script itself sets. */
function writtenNames(script: MappingNode): readonly string[] {
  const names: string[] = [];
  walk(script, {
    MetaAssign({ key }) {
      if (key !== undefined) names.push(key.text);
    },
  });
  return names;
}
