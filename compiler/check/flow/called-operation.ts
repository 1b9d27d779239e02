// The operation of the document that a request of a component goes to, where its address is one of the
// document's servers: what the reply looks like is then known.

import type { ApiModel } from "../../model/api.ts";
import type { DeclaredPath } from "../../model/operations.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { findField } from "../../trees/fields.ts";
import { findContentSchema } from "./declared-schemas.ts";

/** One segment of a path: its text, or anything that stands for a parameter. */
type Segment = string | { readonly kind: "Anything" };

/** The schema of the JSON that a successful request of `component` gets; `undefined` where nothing tells. */
export function findReplySchema(component: ComponentNode, api: ApiModel): DocumentNode | undefined {
  const url = findField(component.config, "url");
  const verb = findField(component.config, "verb");
  if (url === undefined || (verb !== undefined && verb.kind !== "Literal")) return undefined;
  const method = verb === undefined ? "POST" : String(verb.value).toUpperCase();
  const called = findCalledPath(segmentsOf(textOf(url)), api)
    ?.operations()
    .get(method);
  const responses = api.references.find(called?.node, "responses");
  if (responses?.kind !== "map") return undefined;
  const replies = responses.entries.filter(({ key }) => /^2(\d\d|XX)$/.test(key));
  const [reply] = replies;
  // Several successful replies: which one comes is not known.
  if (reply === undefined || replies.length > 1) return undefined;
  return findContentSchema(api.references.find(reply.value, "content"), /[/+]json\b/, "schema");
}

/** An address as text in which each query is one character that no address has. */
function textOf(field: FieldNode): string | undefined {
  if (field.kind === "Literal") return typeof field.value === "string" ? field.value : undefined;
  if (field.kind !== "Template") return undefined;
  return field.parts.map((part) => (part.kind === "Text" ? part.text : hole)).join("");
}

const hole = "\u0000";

function segmentsOf(address: string | undefined): readonly Segment[] {
  const [path = ""] = address?.split(/[?#]/, 1) ?? [];
  return path
    .replace(/\/+$/, "")
    .split("/")
    .map((text) => (text.includes(hole) ? { kind: "Anything" } : text));
}

function findCalledPath(address: readonly Segment[], api: ApiModel): DeclaredPath | undefined {
  for (const { url: base } of api.servers) {
    // A relative address is the gateway's own, which streams do not call.
    if (base === undefined || !/^https?:\/\//.test(base) || base.includes("{")) continue;
    const exact = api.paths.find(({ path }) => matches(address, segmentsOf(base.replace(/\/+$/, "") + path)));
    const found = exact ?? api.paths.find(({ path }) => matches(address, templateOf(base, path)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The segments of a path of the document, `{id}` standing for anything. */
function templateOf(base: string, path: string): readonly Segment[] {
  return segmentsOf(base.replace(/\/+$/, "") + path.replaceAll(/\{[^/{}]*\}/g, hole));
}

function matches(address: readonly Segment[], pattern: readonly Segment[]): boolean {
  return (
    address.length === pattern.length &&
    address.every((segment, index) => {
      const wanted = pattern[index];
      // A query may give any text, so that a fixed segment of the pattern is not surely what it meets.
      return typeof wanted !== "string" || segment === wanted;
    })
  );
}
