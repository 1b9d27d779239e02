// References to components of another kind than the place takes: a schema where a request body has to stand. The schemas of
// OpenAPI take every reference wherever one may stand, since they look at no target.

import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { isLong } from "../../source/source.ts";
import { type DocumentNode, findNode, type MapNode } from "../../trees/document.ts";
import { findReference } from "../references/locate.ts";
import { kindOf, type ObjectKind } from "./known-fields.ts";

/** What people call a kind, and where `components` has those of it. */
const sections: Readonly<Record<ObjectKind, { readonly section: string; readonly title: string }>> = {
  schema: { section: "schemas", title: "a schema" },
  response: { section: "responses", title: "a response" },
  parameter: { section: "parameters", title: "a parameter" },
  example: { section: "examples", title: "an example" },
  requestBody: { section: "requestBodies", title: "a request body" },
  header: { section: "headers", title: "a header" },
  securityScheme: { section: "securitySchemes", title: "a security scheme" },
  link: { section: "links", title: "a link" },
  pathItem: { section: "pathItems", title: "a path item" },
};

/** Keys of schemas that hold schemas; whatever else stands in one is data or text. */
const inSchemas: ReadonlySet<string> = new Set(
  "properties patternProperties allOf anyOf oneOf items not additionalProperties".split(" "),
);

/** Keys whose values are data. */
const data: ReadonlySet<string> = new Set(["example", "default", "value", "dataValue", "enum", "const"]);

/** Reports each reference of a document that leads to a component of another kind; in long documents, none is looked at. */
export function checkReferenceKinds(root: MapNode, report: Report): void {
  if (isLong(root.span.source.file)) return;
  const visit = (node: DocumentNode, kind: ObjectKind): void => {
    if (node.kind === "list") for (const item of node.items) visit(item, kind);
    if (node.kind !== "map") return;
    checkReference(node, kind, root, report);
    for (const { key, value } of node.entries) {
      if (key.startsWith("x-") || data.has(key) || (kind === "schema" && !inSchemas.has(key))) continue;
      const inside = kindOf(`${key}[]`);
      if (inside === undefined) visit(value, kindOf(key) ?? "unknown");
      else if (value.kind === "list") visit(value, inside);
      else if (value.kind === "map") for (const each of value.entries) visit(each.value, inside);
    }
  };
  visit(root, "root");
}

function checkReference(node: MapNode, kind: ObjectKind, root: MapNode, report: Report): void {
  const reference = findReference(node);
  const wanted = sections[kind];
  if (reference === undefined || wanted === undefined) return;
  const [, file = "", section, name = ""] =
    /^([^#]*)#\/components\/(\w+)\/([^/]+)$/.exec(reference.text) ?? [];
  const found = Object.values(sections).find((each) => each.section === section);
  if (found === undefined || found === wanted) return;
  const known = file === "" ? findNode(root, "components", wanted.section) : undefined;
  const names = known?.kind === "map" ? known.entries.map(({ key }) => key) : [];
  const closest = names.includes(name) ? name : suggest(name, names);
  report("GW1046", reference.node.span, {
    field: "$ref",
    rule: `must lead to ${wanted.title}, not to ${found.title}`,
    choices: closest === undefined ? [] : [`#/components/${wanted.section}/${closest}`],
  });
}
