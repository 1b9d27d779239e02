// Provides a JSON Schema that is plain data to the reader. References lead to places in the same data.

import { isRecord } from "../../records.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the root node of a schema. */
export function plainNode(schema: JsonSchema): SchemaNode {
  return nodeAt(schema, schema, indexResources(schema));
}

/** Schemas by `$id`, and within each by `$anchor`. */
interface Resources {
  readonly byId: ReadonlyMap<string, unknown>;
  /** Every object with an anchor of that name, in any resource. */
  readonly anchors: ReadonlyMap<string, readonly { readonly root: unknown; readonly schema: Fields }[]>;
}

/** `root`: the schema that `#` refers to, the nearest surrounding one with an `$id`. */
function nodeAt(value: unknown, root: unknown, resources: Resources): SchemaNode {
  const fields = isRecord(value) ? value : undefined;
  const own = isResource(fields) ? value : root;
  const below = (child: unknown) => nodeAt(child, own, resources);
  const node: SchemaNode = {
    identity: typeof value === "object" && value !== null ? value : {},
    kind: fields === undefined ? (Array.isArray(value) ? "list" : "scalar") : "map",
    value,
    get: (keyword) =>
      fields !== undefined && Object.hasOwn(fields, keyword) ? below(fields[keyword]) : undefined,
    entries: () => Object.entries(fields ?? {}).map(([name, child]) => ({ name, node: below(child) })),
    items: () => (Array.isArray(value) ? value.map(below) : []),
    target(keyword) {
      const reference = fields?.[keyword];
      if (typeof reference !== "string") return undefined;
      return follow(reference, keyword, own, resources);
    },
  };
  return node;
}

function follow(
  reference: string,
  keyword: "$ref" | "$dynamicRef",
  root: unknown,
  resources: Resources,
): SchemaNode | undefined {
  const hash = reference.indexOf("#");
  const id = hash === -1 ? reference : reference.slice(0, hash);
  const place = hash === -1 ? "" : decodeFragment(reference.slice(hash + 1));
  const from = id === "" ? root : resources.byId.get(id);
  if (from === undefined || place === undefined) return undefined;
  if (place === "" || place.startsWith("/")) return followPointer(from, place, resources);
  const named = resources.anchors.get(place) ?? [];
  // Among several schemas, the path to a dynamic reference decides which one it refers to.
  if (keyword === "$dynamicRef" && named.length > 1) return undefined;
  const found = named.find((anchor) => anchor.root === from);
  return found === undefined ? undefined : nodeAt(found.schema, found.root, resources);
}

function followPointer(from: unknown, pointer: string, resources: Resources): SchemaNode | undefined {
  let at: SchemaNode | undefined = nodeAt(from, from, resources);
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = at?.kind === "list" ? at.items()[Number(key)] : at?.get(key);
  }
  return at;
}

/** Returns the decoded fragment; `undefined` for a lone `%`, which refers to nothing. */
function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function indexResources(schema: JsonSchema): Resources {
  const byId = new Map<string, unknown>();
  const anchors = new Map<string, { readonly root: unknown; readonly schema: Fields }[]>();
  const visited = new Set<unknown>();
  const visit = (value: unknown, around: unknown): void => {
    if (visited.has(value)) return;
    visited.add(value);
    if (Array.isArray(value)) for (const item of value) visit(item, around);
    if (!isRecord(value)) return;
    const root = isResource(value) ? value : around;
    if (isResource(value)) byId.set(value.$id.replace(/#$/, ""), value);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = value[keyword];
      if (typeof name !== "string") continue;
      anchors.set(name, [...(anchors.get(name) ?? []), { root, schema: value }]);
    }
    for (const child of Object.values(value)) visit(child, root);
  };
  visit(schema, schema);
  return { byId, anchors };
}

/** Whether references with `#` inside it are relative to it. */
function isResource(fields: Fields | undefined): fields is Fields & { readonly $id: string } {
  const { $id } = fields ?? {};
  return typeof $id === "string";
}
