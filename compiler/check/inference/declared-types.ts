// Converts schemas of an API document to types whose fields know where they were declared.

import { SchemaModel } from "../../model/schema-model.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { type DocumentNode, toJson } from "../../trees/document.ts";
import { findDynamic } from "../../trees/dynamic-references.ts";
import { createSchemaReader } from "../../value-types/json-schema/read/read-schema.ts";
import type { SchemaNode } from "../../value-types/json-schema/read/schema-node.ts";
import type { Type } from "../../value-types/type.ts";

/** The types that the schemas of one API document declare. Each schema is read once, when first needed. */
export interface DeclaredTypes {
  /** Returns the type of the schema node `schema`, with its references resolved. */
  readonly typeOf: (schema: DocumentNode) => Type;
}

/** Reads the schemas of `api` on demand. */
export function createDeclaredTypes(api: ApiDocument): DeclaredTypes {
  const reader = createSchemaReader();
  const known = new Map<DocumentNode, Type>();
  return {
    typeOf(schema) {
      const type = known.get(schema) ?? reader.read(schemaNode(schema, api));
      known.set(schema, type);
      return type;
    },
  };
}

function schemaNode(node: DocumentNode, api: ApiDocument): SchemaNode {
  const entries = readableEntries(node, api);
  return {
    identity: node,
    kind: node.kind,
    get value() {
      return node.kind === "scalar" ? node.value : toJson(node);
    },
    get(keyword) {
      const entry = entries.find(({ key }) => key === keyword);
      return entry && schemaNode(entry.value, api);
    },
    entries: () =>
      entries.map(({ key, keySpan, value }) => ({ name: key, node: schemaNode(value, api), span: keySpan })),
    items: () => (node.kind === "list" ? node.items.map((item) => schemaNode(item, api)) : []),
    target(keyword) {
      const target = keyword === "$ref" ? api.references.resolve(node) : findDynamic(node, api.root);
      return target === undefined || target === node ? undefined : schemaNode(target, api);
    },
  };
}

/** OpenAPI 3.0 ignores the siblings of a reference, except `nullable`, which many authors write there. */
function readableEntries(node: DocumentNode, api: ApiDocument) {
  if (node.kind !== "map") return [];
  if (api.openapi !== "3.0" || new SchemaModel(node).reference === undefined) return node.entries;
  return node.entries.filter(({ key }) => key === "$ref" || key === "nullable");
}
