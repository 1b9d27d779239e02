// Converts schemas of an API document to types whose fields know where they were declared.

import { SchemaModel } from "../../model/schema-model.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { type DocumentNode, toJson } from "../../trees/document.ts";
import { findDynamic } from "../../trees/dynamic-references.ts";
import { findSchemaTarget } from "../../trees/schema-targets.ts";
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
      const type = known.get(schema) ?? reader.read(new DocumentSchema(schema, api));
      known.set(schema, type);
      return type;
    },
  };
}

/** A place in a schema of a document. A class, since every stream and every keyword that is read has one. */
class DocumentSchema implements SchemaNode {
  readonly identity: DocumentNode;
  readonly #api: ApiDocument;

  constructor(node: DocumentNode, api: ApiDocument) {
    this.identity = node;
    this.#api = api;
  }

  get kind() {
    return this.identity.kind;
  }

  get value() {
    const node = this.identity;
    return node.kind === "scalar" ? node.value : toJson(node);
  }

  get(keyword: string) {
    const entry = readableEntries(this.identity, this.#api).find(({ key }) => key === keyword);
    return entry && this.#at(entry.value);
  }

  entries() {
    const entries = readableEntries(this.identity, this.#api);
    return entries.map(({ key, keySpan, value }) => ({ name: key, node: this.#at(value), span: keySpan }));
  }

  items() {
    const node = this.identity;
    return node.kind === "list" ? node.items.map((item) => this.#at(item)) : [];
  }

  target(keyword: "$ref" | "$dynamicRef") {
    const { identity: node } = this;
    const target =
      keyword === "$ref" ? findSchemaTarget(node, this.#api.references) : findDynamic(node, this.#api);
    return target === undefined ? undefined : this.#at(target);
  }

  #at(node: DocumentNode) {
    return new DocumentSchema(node, this.#api);
  }
}

/** OpenAPI 3.0 ignores the siblings of a reference, except `nullable`, which many authors write there. */
function readableEntries(node: DocumentNode, api: ApiDocument) {
  if (node.kind !== "map") return [];
  if (api.openapi !== "3.0" || new SchemaModel(node).reference === undefined) return node.entries;
  return node.entries.filter(({ key }) => key === "$ref" || key === "nullable");
}
