// Schemas of the operations that streams serve, and those that references of any message schema lead to: their
// keywords have values of their kinds, as beside components.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf } from "../../../model/components.ts";
import { collectRoutes } from "../../../model/routes.ts";
import { type DocumentNode, findNode } from "../../../trees/document.ts";
import { findDeclaredSchemas } from "../../flow/declared-schemas.ts";
import { checkSchema } from "./message-schemas.ts";

/** Reports what no JSON Schema has in the schemas that types of messages come from, each once. */
export function checkServedSchemas(api: ApiModel, report: Report): void {
  const routes = Map.groupBy(collectRoutes(api), ({ stream }) => stream);
  const beside = api.streams.flatMap((stream) => componentsOf(stream).map(({ schema }) => schema));
  // Those beside components were checked with them; only what they refer to is left.
  const seen = new Set(beside.filter((schema) => schema !== undefined));
  const waiting = [...seen];
  for (const stream of api.streams) {
    for (const schema of findDeclaredSchemas(stream, api, routes.get(stream) ?? []).values()) visit(schema);
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const target of targetsIn(next, api)) visit(target);

  function visit(schema: DocumentNode | undefined): void {
    if (schema === undefined || seen.has(schema)) return;
    const isCovered = [...seen].some((other) => isWithin(schema, other));
    seen.add(schema);
    waiting.push(schema);
    if (!isCovered && !isHeldByOpenapi(schema, api)) checkSchema(schema, report);
  }
}

/** What the references anywhere in a schema lead to. */
function targetsIn(node: DocumentNode, api: ApiModel): readonly DocumentNode[] {
  if (node.kind === "list") return node.items.flatMap((item) => targetsIn(item, api));
  if (node.kind !== "map") return [];
  const target = findNode(node, "$ref") === undefined ? undefined : api.references.resolve(node);
  const inside = node.entries.flatMap(({ value }) => targetsIn(value, api));
  return target === undefined || target === node ? inside : [target, ...inside];
}

function isWithin(inner: DocumentNode, outer: DocumentNode): boolean {
  const [a, b] = [inner.span, outer.span];
  return a.source === b.source && a.start >= b.start && a.end <= b.end;
}

/** OpenAPI 3.0 has a dialect of its own, which the check against OpenAPI holds the document to. */
function isHeldByOpenapi(schema: DocumentNode, { openapi, root, streaming }: ApiModel): boolean {
  if (openapi !== "3.0" || schema.span.source !== root.span.source) return false;
  return streaming === undefined || !isWithin(schema, streaming);
}
