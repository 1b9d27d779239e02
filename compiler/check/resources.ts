// Checks the labels of resources in streams: reports references to unknown labels, and labels without references.

import { resourceSections } from "../../schemas/catalogue.ts";
import { descriptorOf } from "../../schemas/component.ts";
import type { Report } from "../diagnostics/sink.ts";
import { type Nearest, nearest } from "../diagnostics/suggest.ts";
import type { FieldNode, ResourceField, ResourceNode, StreamNode } from "../trees/api.ts";
import { type ConfiguredSet, fieldsOf, fieldsOfComponent, fieldsOfStream } from "../trees/fields.ts";
import { sampleOf } from "../trees/mapping.ts";
import { misdeclaredLabels } from "../trees/misdeclared-labels.ts";
import type { CheckedScripts } from "./flow/infer-set.ts";
import type { CacheInScope, CheckedCall, CheckedMapping } from "./mapping/checked.ts";

/** Returns the caches of a stream by label. */
export function cachesOf({ resources = [] }: StreamNode): ReadonlyMap<string, CacheInScope> {
  return new Map(
    resources.flatMap(({ role, label, component }) => {
      if (role !== "cache" || label === undefined) return [];
      // A cache that could not be read may be of any kind.
      const isSync = component === undefined || descriptorOf("cache", component)?.schema["x-sync"] === true;
      return [[label, { name: component?.name ?? "", isSync }] as const];
    }),
  );
}

/** Checks the labels in every stream of a set, and outside of streams, where no resources exist. */
export function checkResources(set: ConfiguredSet, scripts: CheckedScripts, report: Report): void {
  for (const stream of set.apis.flatMap((api) => api.streams)) checkStream(stream, scripts, report);
  const { settingsFields } = set;
  const around = set.apis.map(({ gatewayFields }) => ({
    ...(gatewayFields && { gatewayFields }),
    streams: [],
  }));
  for (const field of fieldsOf({ ...(settingsFields && { settingsFields }), apis: around })) {
    if (field.kind === "Resource") reportUnknown(field, { closest: undefined }, report);
  }
}

function checkStream(stream: StreamNode, scripts: CheckedScripts, report: Report): void {
  const resources = declaredIn(stream);
  const used = new Set<string>();
  const misdeclared = misdeclaredLabels(stream.node);
  for (const field of fieldsOfStream(stream)) {
    for (const label of cachesUsedBy(field, scripts)) used.add(label);
    if (field.kind !== "Resource") continue;
    used.add(field.label);
    if (resources.find(field.role, field.label) !== undefined) continue;
    const near = nearest(field.label, resources.labels(field.role));
    if (misdeclared.has(field.role, field.label, near.closest !== undefined)) continue;
    reportUnknown(field, near, report);
    // The resource that a misspelt reference was meant for counts as used.
    if (near.closest !== undefined) used.add(near.closest);
  }
  reportCircles(resources, report);
  for (const { role, label, labelSpan, component, isPlaced } of resources.declared) {
    // A resource that could not be read or has no label is already reported.
    if (label === undefined || component === undefined) continue;
    if (!isPlaced && !used.has(label)) report("GW4146", labelSpan, { role, label });
  }
}

/** Reports each reference by which a shared resource uses itself, directly or indirectly. */
function reportCircles({ declared, find }: DeclaredResources, report: Report): void {
  if (declared.length === 0) return;
  const done = new Set<ResourceNode>();
  // Without recursion, because a chain can be longer than the stack.
  const path: { readonly node: ResourceNode; readonly fields: Iterator<FieldNode> }[] = [];
  const onPath = new Set<ResourceNode>();
  const enter = (node: ResourceNode): void => {
    if (done.has(node) || node.isPlaced || node.component === undefined) return;
    path.push({ node, fields: fieldsOfComponent(node.component)[Symbol.iterator]() });
    onPath.add(node);
  };
  for (const start of declared) {
    enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { done: isDone, value: field } = last.fields.next();
      if (isDone === true) {
        path.pop();
        onPath.delete(last.node);
        done.add(last.node);
        continue;
      }
      const target = field.kind === "Resource" ? find(field.role, field.label) : undefined;
      if (field.kind !== "Resource" || target === undefined) continue;
      if (onPath.has(target)) {
        const related = { span: target.labelSpan, message: "It is declared here." };
        report("GW4144", field.span, { label: field.label }, related);
      } else enter(target);
    }
  }
}

/** The resources of a stream, and those of each role by label. */
interface DeclaredResources {
  readonly declared: readonly ResourceNode[];
  readonly find: (role: string, label: string) => ResourceNode | undefined;
  readonly labels: (role: string) => readonly string[];
}

function declaredIn({ resources: declared = [] }: StreamNode): DeclaredResources {
  const byRole = new Map<string, Map<string, ResourceNode>>();
  for (const node of declared) {
    if (node.label === undefined) continue;
    const known = byRole.get(node.role) ?? new Map<string, ResourceNode>();
    if (!known.has(node.label)) known.set(node.label, node);
    byRole.set(node.role, known);
  }
  return {
    declared,
    find: (role, label) => byRole.get(role)?.get(label),
    labels: (role) => [...(byRole.get(role)?.keys() ?? [])],
  };
}

/** Reports a label that does not exist. */
function reportUnknown(
  { role, label, mayBeDuration, span }: ResourceField,
  near: Nearest,
  report: Report,
): void {
  if (mayBeDuration && near.closest === undefined) report("GW4037", span, { name: label });
  else report("GW4142", span, { role, label, section: resourceSections[role], ...near });
}

/** Returns the caches that functions of a script name. */
function cachesUsedBy(field: FieldNode, { mappings, queries, templates }: CheckedScripts): readonly string[] {
  switch (field.kind) {
    case "Mapping":
      return cachesOfMapping(mappings.get(field.mapping));
    case "Query":
      return cachesIn(queries.get(field.query)?.calls);
    case "Template":
      return cachesIn(templates.get(field.template)?.calls);
    default:
      return [];
  }
}

function cachesOfMapping(checked: CheckedMapping | undefined): readonly string[] {
  return cachesIn(checked && sampleOf(checked).calls);
}

function cachesIn(calls: ReadonlyMap<unknown, CheckedCall> | undefined): readonly string[] {
  const found: string[] = [];
  for (const { builtin, args } of calls?.values() ?? []) {
    const [label] = builtin.needs === "cache" ? args : [];
    if (label?.kind === "StringLiteral") found.push(label.value);
  }
  return found;
}
