// An object where a component is expected (`kafka: {…}`, `label`, `schema`) to a component, read by its
// schema. Reports which component it is not; fields and their types are left to the document check.

import {
  canonicalName,
  componentNames,
  documentSchemas,
  findSchema,
  isUnsupported,
} from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, ComponentRole, FieldNode } from "../document/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
} from "../document/tree.ts";
import { readField } from "./fields.ts";

const roles: readonly ComponentRole[] = ["input", "processor", "output"];

/** Keys that may stand beside a component, ours and those of the reference engine. */
const besides: readonly string[] = [
  ...Object.keys(documentSchemas.component.properties ?? {}),
  ...(documentSchemas.component["x-unsupported"] ?? []),
];

/** The component an object holds. `owner` is what to point at when it holds none. */
export function readComponent(
  role: ComponentRole,
  node: DocumentNode,
  report: Report,
  owner: Span = beginning(node),
): ComponentNode | undefined {
  if (node.kind !== "map") return undefined;
  const entry = findComponent(role, node, report, owner);
  const schema = entry && findSchema(role, entry.key);
  if (entry === undefined || schema === undefined) return undefined;
  const config = readField(entry.value, { name: entry.key, schema, report, readComponent });
  const label = findText(node, "label");
  const messages = findNode(node, "schema");
  return {
    role,
    name: canonicalName(role, entry.key),
    nameSpan: entry.keySpan,
    node,
    config: config ?? nothing(entry.value),
    ...(label === undefined ? {} : { label }),
    ...(messages === undefined ? {} : { schema: messages }),
  };
}

function nothing(node: DocumentNode): FieldNode {
  return { kind: "Object", fields: [], span: node.span };
}

/** The start of a node, as a place for what is missing from it. */
function beginning(node: DocumentNode): Span {
  return node.kind === "map" ? (node.entries[0]?.keySpan ?? node.span) : node.span;
}

function findComponent(
  role: ComponentRole,
  node: MapNode,
  report: Report,
  owner: Span,
): MapEntry | undefined {
  // `processors` is a processor, too; beside an input it is a list of them.
  const candidates = node.entries.filter(
    ({ key }) => !besides.includes(key) || findSchema(role, key) !== undefined,
  );
  const known = candidates.filter((entry) => findSchema(role, entry.key) !== undefined);
  const [first, second] = known;
  if (first === undefined) {
    reportNone(role, node, candidates, report, owner);
  } else if (second !== undefined) {
    const related = { span: first.keySpan, message: `\`${first.key}\` is here.` };
    report("GW4003", second.keySpan, { role, first: first.key, second: second.key }, related);
    return undefined;
  }
  return first;
}

function reportNone(
  role: ComponentRole,
  node: MapNode,
  candidates: readonly MapEntry[],
  report: Report,
  owner: Span,
): void {
  const type = findEntry(node, "type");
  const longForm = findText(node, "type");
  if (type !== undefined && longForm !== undefined) {
    report("GW4006", type.keySpan, { name: longForm });
    return;
  }
  const [unknown] = candidates;
  if (unknown === undefined) report("GW4004", owner, { role });
  else reportUnknown(role, unknown, candidates.length === 1, report);
}

/** Of several unknown names nobody can say which one is the component. */
function reportUnknown(
  role: ComponentRole,
  { key, keySpan }: MapEntry,
  isOnly: boolean,
  report: Report,
): void {
  const other = roles.find((each) => each !== role && findSchema(each, key) !== undefined);
  if (isUnsupported(role, key)) report("GW4002", keySpan, { role, name: key });
  else if (other !== undefined) report("GW4005", keySpan, { role, name: key, other });
  else {
    const { closest, respelling } = nearest(key, componentNames(role));
    report("GW4001", keySpan, { role, name: key, closest, respelling: isOnly ? respelling : undefined });
  }
}
