// Reads an object where a component is expected (`kafka: {…}`, `label`, `schema`) by its schema. Reports unknown
// components. The document check reports errors in fields and their types.

import {
  type ComponentCatalogue,
  documentSchemas,
  isUnsupported,
  resourceSections,
} from "../../../schemas/catalogue.ts";
import { type ComponentRole, componentRoles } from "../../../schemas/component.ts";
import { refusalOf } from "../../../schemas/unsupported.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
} from "../../trees/document.ts";
import { type FindResource, withDeclaredBranches } from "./branch-resources.ts";
import { readField } from "./fields.ts";

/** The key that names a declared component instead of configuring one. */
const referenceKey = "resource";

/** The dependencies of reading a component. */
export interface ComponentReading {
  /** The available components. */
  readonly components: ComponentCatalogue;
  readonly report: Report;
  /** Finds the resources that the stream around the component declares; absent if there is no stream. */
  readonly findResource?: FindResource;
  /** The number of components around it; none by default. */
  readonly depth?: number;
}

/** Keys that are allowed next to a component, including those of the reference engine. */
const besides: readonly string[] = [
  ...Object.keys(documentSchemas.component.properties ?? {}),
  ...(documentSchemas.component["x-unsupported"] ?? []),
];

/**
 * Returns the component that an object contains, or the one that it names with `resource`. `owner`: the place of the
 * report if the object contains no component.
 */
export function readComponent(
  role: ComponentRole,
  node: DocumentNode,
  reading: ComponentReading,
  owner: Span = beginning(node),
): ComponentNode | undefined {
  if (node.kind !== "map") return undefined;
  const { components, report, findResource = findNone(report) } = reading;
  const reference = findReference(role, node, components);
  if (reference !== undefined) return readReference(role, node, reference, { ...reading, findResource });
  return readNamed(role, withoutLongForm(node, report), { ...reading, findResource }, owner);
}

/** Reads a component that is configured under its own name. */
function readNamed(
  role: ComponentRole,
  node: MapNode,
  reading: ComponentReading & Required<Pick<ComponentReading, "findResource">>,
  owner: Span,
): ComponentNode | undefined {
  const { components, report, findResource, depth = 0 } = reading;
  const within = { ...reading, depth: depth + 1 };
  const entry = findComponent(role, node, reading, owner);
  const descriptor = entry && components.find(role, entry.key);
  if (entry === undefined || descriptor === undefined) return undefined;
  const { schema } = descriptor;
  const config = readField(entry.value, {
    name: entry.key,
    schema,
    report,
    readComponent: (inner, held) =>
      inner === "processor" ? readStep(held, within) : readComponent(inner, held, within),
  });
  const isWorkflow = descriptor.role === "processor" && descriptor.flow.kind === "workflow";
  const whole =
    isWorkflow && config?.kind === "Object"
      ? withDeclaredBranches(config, (name, span) => findResource("processor", name, span, depth + 1), report)
      : (config ?? nothing(entry.value));
  const label = findText(node, "label");
  const messages = findNode(node, "schema");
  const processors = role === "input" || role === "output" ? readBeside(node, within) : [];
  return {
    role,
    name: descriptor.name,
    nameSpan: entry.keySpan,
    descriptor,
    node,
    config: whole,
    ...(label === undefined ? {} : { label }),
    ...(messages === undefined ? {} : { schema: messages }),
    ...(processors.length === 0 ? {} : { processors }),
  };
}

/** Reads `processors:` next to a component. */
function readBeside(node: MapNode, reading: ComponentReading): readonly ComponentNode[] {
  const list = findNode(node, "processors");
  if (list?.kind !== "list") return [];
  return list.items.map((item) => readStep(item, reading));
}

/**
 * Reads one of several consecutive processors. A processor that cannot be read keeps its place, because those after it
 * depend on it.
 */
export function readStep(node: DocumentNode, reading: ComponentReading): ComponentNode {
  const component = readComponent("processor", node, reading);
  if (component !== undefined) return component;
  // A text has no fields.
  const fields: MapNode = node.kind === "map" ? node : { kind: "map", entries: [], span: node.span };
  return { role: "processor", name: "", nameSpan: beginning(node), node: fields, config: nothing(node) };
}

/** Returns a lookup that reports every label as unknown: without a stream around it, a component has no resources. */
function findNone(report: Report): FindResource {
  return (role, label, span) => {
    report("GW4142", span, { role, label, section: resourceSections[role], closest: undefined });
    return undefined;
  };
}

/** Returns `resource: enrich`, unless a component is next to it, which is reported as one too many. */
export function findReference(
  role: ComponentRole,
  node: MapNode,
  components: ComponentCatalogue,
): MapEntry | undefined {
  if (node.entries.some(({ key }) => components.find(role, key) !== undefined)) return undefined;
  return node.entries.find(({ key }) => isReference(role, key));
}

function isReference(role: ComponentRole, key: string): boolean {
  return referenceKeys(role).includes(key);
}

/**
 * Returns the keys that name a declared component. Caches and rate limits are named by fields of components, and
 * scanners and buffers cannot be declared.
 */
function referenceKeys(role: ComponentRole): readonly string[] {
  return role === "input" || role === "output" || role === "processor" ? [referenceKey] : [];
}

/**
 * Converts `type: kafka` with the fields below `plugin` or below the name, which older documents of the reference
 * engine have, to `kafka: …`.
 */
function withoutLongForm(node: MapNode, report: Report): MapNode {
  const type = findEntry(node, "type");
  const name = findText(node, "type");
  if (type === undefined || name === undefined) return node;
  report("GW4006", type.keySpan, { name });
  const others = node.entries.filter((entry) => entry !== type);
  if (others.some(({ key }) => key === name)) return { ...node, entries: others };
  const plugin = findEntry(node, "plugin");
  const value = plugin?.value ?? { kind: "map", entries: [], span: type.value.span };
  const named: MapEntry = { key: name, keySpan: type.value.span, value };
  return { ...node, entries: [named, ...others.filter((entry) => entry !== plugin)] };
}

/**
 * Reads a declared component with the fields next to its name: a schema that replaces its own, and processors between
 * the component and the rest of the stream.
 */
function readReference(
  role: ComponentRole,
  node: MapNode,
  { value, key, keySpan }: MapEntry,
  reading: ComponentReading & Required<Pick<ComponentReading, "findResource">>,
): ComponentNode | undefined {
  const { report, findResource, depth = 0 } = reading;
  const isEnd = role === "input" || role === "output";
  for (const other of node.entries) {
    const hasSteps = isEnd && other.key === "processors" && other.value.kind === "list";
    if (other.key === key || hasSteps || ["label", "schema"].includes(other.key)) continue;
    report("GW4145", other.keySpan, { field: other.key });
  }
  if (value.kind !== "scalar" || typeof value.value !== "string") {
    report("GW4143", keySpan, { role });
    return undefined;
  }
  const found = findResource(role, value.value, value.span, depth);
  const schema = findNode(node, "schema");
  const beside = isEnd ? readBeside(node, reading) : [];
  if (found === undefined || (schema === undefined && beside.length === 0)) return found;
  const { processors: own = [] } = found;
  const processors = role === "input" ? [...own, ...beside] : [...beside, ...own];
  return { ...found, ...(schema && { schema }), ...(processors.length > 0 && { processors }) };
}

function nothing(node: DocumentNode): FieldNode {
  return { kind: "Object", fields: [], span: node.span };
}

/** Returns the start of a node, as the place of reports about missing fields. */
function beginning(node: DocumentNode): Span {
  return node.kind === "map" ? (node.entries[0]?.keySpan ?? node.span) : node.span;
}

function findComponent(
  role: ComponentRole,
  node: MapNode,
  { components, report }: ComponentReading,
  owner: Span,
): MapEntry | undefined {
  // `processors` is also a processor; next to an input it is a list of them.
  const candidates = node.entries.filter(
    ({ key }) => !besides.includes(key) || components.find(role, key) !== undefined,
  );
  const known = candidates.filter(
    ({ key }) => components.find(role, key) !== undefined || isReference(role, key),
  );
  const [first, second] = known;
  if (first === undefined) {
    reportNone(role, candidates, { components, report }, owner);
  } else if (second !== undefined) {
    const related = { span: first.keySpan, message: `\`${first.key}\` is here.` };
    report("GW4003", second.keySpan, { role, first: first.key, second: second.key }, related);
    return undefined;
  }
  return first;
}

function reportNone(
  role: ComponentRole,
  candidates: readonly MapEntry[],
  reading: ComponentReading,
  owner: Span,
): void {
  const { components, report } = reading;
  if (components.isPartial && candidates.length > 0) return;
  // The reason why the template was not replaced has been reported.
  if (candidates.some(({ key }) => components.isTemplate(role, key))) return;
  const [unknown] = candidates;
  if (unknown === undefined) report("GW4004", owner, { role });
  else reportUnknown(role, unknown, candidates.length === 1, reading);
}

/** Reports an unknown component. If several names are unknown, it is unclear which one is the component. */
function reportUnknown(
  role: ComponentRole,
  { key, keySpan }: MapEntry,
  isOnly: boolean,
  { components, report }: ComponentReading,
): void {
  const other = componentRoles.find((each) => each !== role && components.find(each, key) !== undefined);
  if (isUnsupported(role, key)) report("GW4002", keySpan, { role, name: key, ...refusalOf(key) });
  else if (other !== undefined) report("GW4005", keySpan, { role, name: key, other });
  else {
    const { closest, respelling } = nearest(key, [...components.names(role), ...referenceKeys(role)]);
    report("GW4001", keySpan, { role, name: key, closest, respelling: isOnly ? respelling : undefined });
  }
}
