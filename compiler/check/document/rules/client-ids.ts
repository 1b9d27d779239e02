// MQTT clients of one name at one broker: the broker lets go of the one when the other comes, for ever.

import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf, hasExclusiveId } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";

/** Reports each `client_id` that an earlier client of the same broker has. */
export function checkClientIds({ served }: Pick<SetModel, "served">, report: Report): void {
  const earlier = new Map<string, Span>();
  const streams = served.flatMap((api) => api.streams);
  for (const component of streams.flatMap(componentsOf)) {
    const id = findField(component.config, "client_id");
    if (!hasExclusiveId(component) || id === undefined || textOf(id) === "") continue;
    if (findNamedField(component.config, "dynamic_client_id_suffix") !== undefined) continue;
    const keys = brokersOf(component).map((broker) => `${broker} ${textOf(id)}`);
    const other = keys.map((key) => earlier.get(key)).find((span) => span !== undefined);
    if (other === undefined) for (const key of keys) earlier.set(key, id.span);
    else report("GW4058", id.span, { id: textOf(id) }, { span: other, message: "The other one is here." });
  }
}

function brokersOf({ config }: ComponentNode): readonly string[] {
  const urls = findField(config, "urls");
  const items = urls?.kind === "List" ? urls.items : urls === undefined ? [] : [urls];
  return items.map((item) => textOf(item).replace(/\/+$/, "").toLowerCase());
}

/** As written: references to the environment read the same everywhere. */
function textOf({ span: { source, start, end } }: FieldNode): string {
  return source.text.slice(start, end);
}
