// Paths of endpoints that no request can have.

import { findSchema } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../parse/document/api.ts";
import { literalText } from "../components.ts";

/** What a path must not hold, and why. */
const obstacles: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\?/, "a path has no query"],
  [/#/, "a path has no fragment"],
  [/%[0-9a-f]{2}/i, "paths are compared decoded"],
  [/(?:^|\/)\.\.?(?:\/|$)/, "requests with dot segments are refused"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the gateway refuses
  [/[\\\u0000-\u001f\u007f]/, "requests with such characters are refused"],
  [/[^/]\{|\}[^/]|\{[^}]*$|\{[^}]*\/|(?:^|\/)[^{/]*\}|\{\}/, "a parameter is a whole segment"],
];

/** Reports each endpoint whose path cannot be matched. */
export function checkPaths({ role, name, config }: ComponentNode, report: Report): void {
  if (config.kind !== "Object") return;
  const properties = findSchema(role, name)?.properties ?? {};
  for (const { name: field, value } of config.fields) {
    const path = literalText(value);
    if (path === undefined || properties[field]?.["x-route"] === undefined) continue;
    const obstacle = obstacles.find(([pattern]) => pattern.test(path));
    if (obstacle !== undefined) report("GW4045", value.span, { path, reason: obstacle[1] });
  }
}
