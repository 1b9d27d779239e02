// Paths of endpoints that no request can have, and those that hardly any is meant to.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";
import { colonSegment, obstacleIn } from "../obstacles.ts";

/** Reports each endpoint whose path cannot be matched. */
export function checkPaths({ config, descriptor }: ComponentNode, report: Report): void {
  if (config.kind !== "Object") return;
  const properties = descriptor?.schema.properties ?? {};
  for (const { name: field, value } of config.fields) {
    const path = literalText(value);
    if (path === undefined || properties[field]?.["x-route"] === undefined) continue;
    const reason = obstacleIn(path);
    const segment = colonSegment(path);
    if (reason !== undefined) report("GW4045", value.span, { path, reason });
    else if (segment !== undefined) report("GW4274", value.span, { segment });
  }
}
