// What the references of a JSON Schema lead to. Only the schema itself is looked at: nothing is fetched.

import { MappingError } from "../errors.ts";
import { isPlainObject, type PlainJson } from "./plain-json.ts";

/** Finds the part of a schema that a reference, written where `base` counts, leads to. */
export interface SchemaReferences {
  resolve(reference: string, base: string): { readonly schema: PlainJson; readonly base: string };
  /** Where references inside a schema count from. */
  baseOf(schema: PlainJson, outer: string): string;
}

/** Where relative references count from in a schema that does not say. */
export const rootBase = "schema://root/";

/** Keywords whose values are data, in which nothing is a schema. */
const dataKeywords: ReadonlySet<string> = /* @__PURE__ */ new Set(["enum", "const", "default", "examples"]);

/** The references of a schema; its identifiers are looked up once. */
export function createReferences(root: PlainJson): SchemaReferences {
  const resources = new Map<string, PlainJson>([[rootBase, root]]);
  collect(root, rootBase, resources);
  return {
    baseOf,
    resolve(reference, base) {
      const url = parseUrl(reference, base);
      const fragment = decodeFragment(url.hash.slice(1));
      url.hash = "";
      const known = resources.get(`${url.href}#${fragment}`);
      const resource = known ?? resources.get(url.href);
      if (known !== undefined || (resource !== undefined && fragment === "")) {
        return { schema: resource ?? true, base: url.href };
      }
      const target = fragment.startsWith("/") ? follow(resource, fragment) : undefined;
      if (target === undefined)
        throw new MappingError(`reference ${reference} leads to nothing in the schema`);
      return { schema: target, base: url.href };
    },
  };
}

function baseOf(schema: PlainJson, outer: string): string {
  const id = isPlainObject(schema) ? (schema.$id ?? schema.id) : undefined;
  if (typeof id !== "string" || id.startsWith("#")) return outer;
  const url = parseUrl(id, outer);
  url.hash = "";
  return url.href;
}

function collect(node: PlainJson, outer: string, resources: Map<string, PlainJson>): void {
  if (Array.isArray(node)) for (const item of node) collect(item, outer, resources);
  if (!isPlainObject(node)) return;
  const base = baseOf(node, outer);
  if (base !== outer) resources.set(base, node);
  for (const id of [node.$id, node.id]) {
    if (typeof id === "string" && id.startsWith("#")) resources.set(`${base}${id}`, node);
  }
  for (const [key, value] of Object.entries(node))
    if (!dataKeywords.has(key)) collect(value, base, resources);
}

function follow(from: PlainJson | undefined, pointer: string): PlainJson | undefined {
  let at = from;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function parseUrl(reference: string, base: string): URL {
  const url = URL.parse(reference, base);
  if (url === null) throw new MappingError(`reference ${reference} is not a URI`);
  return url;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A stray percent sign stands for itself.
    return fragment;
  }
}
