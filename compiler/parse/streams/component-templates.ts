// Replaces each use of a template by the configuration that the template renders, so that later phases need no
// knowledge of templates. Reports templates that contain themselves, and templates that render no component.

import type { ComponentRole } from "../../../schemas/component.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { createEmbeddedText } from "../../source/source.ts";
import type { ComponentTemplate, Dialect } from "../../trees/dialect.ts";
import {
  type DocumentNode,
  describeNode,
  findEntry,
  type MapEntry,
  type MapNode,
  toJson,
} from "../../trees/document.ts";
import { parseJson } from "../json/parse-json.ts";
import { schemaBelow } from "./build-variables.ts";

/** The dependencies of replacing templates. */
export interface TemplateReading {
  readonly dialect: Dialect;
  readonly report: Report;
}

interface Walk extends TemplateReading {
  /** The templates that rendered the configuration around the node. */
  readonly around: readonly ComponentTemplate[];
  /**
   * Nodes of the document that templates have inserted into their configurations, with the templates around the
   * places where the nodes are written.
   */
  readonly written: Map<DocumentNode, readonly ComponentTemplate[]>;
}

/** Returns the same node if it uses no template. The node keeps its kind. */
export function withTemplates<N extends DocumentNode>(
  node: N,
  schema: Schema,
  { dialect, report }: TemplateReading,
): N {
  if (dialect.templates.length === 0) return node;
  // Maps become maps, lists become lists and scalars become scalars.
  return replaced(node, schema, { dialect, report, around: [], written: new Map() }) as N;
}

function replaced(given: DocumentNode, schema: Schema, walk: Walk): DocumentNode {
  const { around: made, written } = walk;
  const outer = { ...walk, around: written.get(given) ?? made };
  const { node, around } = expanded(given, schema["x-component"], outer);
  const inner = { ...walk, around };
  const into = (below: DocumentNode, own: Schema | undefined) =>
    own === undefined ? below : replaced(below, own, inner);
  switch (node.kind) {
    case "scalar":
      return node;
    case "list": {
      const { "x-shorthand": shorthand, properties } = schema;
      const own = shorthand === undefined ? schema : properties?.[shorthand];
      const items = node.items.map((item) => into(item, own?.items));
      return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
    }
    case "map": {
      const entries = node.entries.map((entry) => {
        const value = into(entry.value, schemaBelow(entry, schema, walk.dialect.components));
        return value === entry.value ? entry : { ...entry, value };
      });
      return entries.every((entry, index) => entry === node.entries[index]) ? node : { ...node, entries };
    }
  }
}

/**
 * Returns the component with the configuration in place of its template. The configuration may use another template.
 */
function expanded(
  node: DocumentNode,
  role: ComponentRole | undefined,
  walk: Walk,
): { readonly node: DocumentNode; readonly around: readonly ComponentTemplate[] } {
  const { dialect, report, around } = walk;
  const unchanged = { node, around };
  if (role === undefined || node.kind !== "map") return unchanged;
  for (const entry of node.entries) {
    const template = dialect.templates.find((each) => each.role === role && each.name === entry.key);
    if (template === undefined) continue;
    if (around.includes(template)) {
      const related = { span: template.nameSpan, message: "It is declared here." };
      report("GW4422", entry.keySpan, { name: template.name }, related);
      return unchanged;
    }
    const made = configurationOf(template, entry, walk);
    if (made === undefined) return unchanged;
    // A field may be the whole configuration, which may use templates of its own.
    const inside = walk.written.has(made) ? around : [...around, template];
    return expanded(joined(role, node, entry, made), role, { ...walk, around: inside });
  }
  return unchanged;
}

function configurationOf(template: ComponentTemplate, use: MapEntry, walk: Walk): MapNode | undefined {
  const { report } = walk;
  const json = template.render(use, report);
  if (json === undefined) return undefined;
  const { source, start } = use.keySpan;
  // All of it has the place at which the template is named. The values of its fields have their own places.
  const text = createEmbeddedText(source, json, new Uint32Array(json.length + 1).fill(start));
  const node = parseJson(text, report);
  if (node === undefined) return undefined;
  // Equal nodes replace each other, so a map stays a map.
  if (node.kind === "map") return withWrittenNodes(node, use.value, walk) as MapNode;
  const reason = `it makes ${describeNode(node)} in place of a component`;
  report("GW4421", use.keySpan, { name: template.name, reason });
  return undefined;
}

/** Replaces rendered nodes by equal nodes of the fields, so that problems are reported there. */
function withWrittenNodes(made: MapNode, fields: DocumentNode, walk: Walk): DocumentNode {
  const { around, written } = walk;
  const known = new Map<string, DocumentNode>();
  const collect = (node: DocumentNode): void => {
    const key = keyOf(node);
    if (key !== undefined && !known.has(key)) known.set(key, node);
    if (node.kind === "list") for (const item of node.items) collect(item);
    if (node.kind === "map") for (const { value } of node.entries) collect(value);
  };
  if (fields.kind === "map") for (const { value } of fields.entries) collect(value);
  const placed = (node: DocumentNode): DocumentNode => {
    const own = known.get(keyOf(node) ?? "");
    if (own !== undefined) {
      if (!written.has(own)) written.set(own, around);
      return own;
    }
    if (node.kind === "list") return { ...node, items: node.items.map(placed) };
    if (node.kind === "scalar") return node;
    return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: placed(entry.value) })) };
  };
  return placed(made);
}

/** Returns a key that equal nodes share; `undefined` for short values, which are equal by chance. */
function keyOf(node: DocumentNode): string | undefined {
  if (node.kind === "scalar")
    return typeof node.value === "string" && node.value !== "" ? sorted(node) : undefined;
  const size = node.kind === "list" ? node.items.length : node.entries.length;
  return size === 0 ? undefined : sorted(node);
}

/** Returns JSON with sorted keys, because a mapping does not keep the order in which they are written. */
function sorted(node: DocumentNode): string {
  if (node.kind === "list") return `[${node.items.map(sorted).join()}]`;
  if (node.kind === "scalar") return JSON.stringify(toJson(node));
  const entries = node.entries.map(({ key, value }) => `${JSON.stringify(key)}:${sorted(value)}`);
  return `{${entries.sort().join()}}`;
}

/**
 * Combines the configuration with the fields next to the template. Processors run next to the component they were
 * written with: for inputs, those of the configuration come first; for outputs, they come last.
 */
function joined(role: ComponentRole, node: MapNode, use: MapEntry, made: MapNode): MapNode {
  const beside = node.entries.filter((entry) => entry !== use);
  const processors = joinedProcessors(role, findEntry(made, "processors"), findEntry(node, "processors"));
  const isOwn = ({ key }: MapEntry) =>
    (processors !== undefined && key === "processors") || beside.some((entry) => entry.key === key);
  const own = made.entries.filter((entry) => !isOwn(entry));
  const rest = beside.filter(({ key }) => processors === undefined || key !== "processors");
  return { ...node, entries: [...own, ...rest, ...(processors === undefined ? [] : [processors])] };
}

function joinedProcessors(
  role: ComponentRole,
  made: MapEntry | undefined,
  beside: MapEntry | undefined,
): MapEntry | undefined {
  if ((role !== "input" && role !== "output") || made?.value.kind !== "list") return undefined;
  if (beside?.value.kind !== "list") return made;
  const [first, second] = role === "input" ? [made.value, beside.value] : [beside.value, made.value];
  return { ...beside, value: { ...beside.value, items: [...first.items, ...second.items] } };
}
