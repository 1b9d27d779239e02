// Reads the resources that a stream declares (`cache_resources`, `processor_resources`, …), and finds the declared
// inputs, outputs and processors for the places that name them. Reports entries without a label, duplicate labels,
// unknown names and resources that contain themselves.

import { resourceSections } from "../../../schemas/catalogue.ts";
import type { ComponentRole } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, ResourceNode } from "../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
} from "../../trees/document.ts";
import { nestedComponents } from "../../trees/fields.ts";
import { misdeclaredLabels } from "../../trees/misdeclared-labels.ts";
import { maximumComponents, maximumDepth } from "../document/limits.ts";
import type { FindResource } from "./branch-resources.ts";
import { type ComponentReading, findReference, readComponent } from "./components.ts";

/** The resources of one stream, each read on first use. */
export interface Resources {
  /** Finds the resource that a `resource:` names. */
  readonly find: FindResource;
  /** Returns all resources in the order declared. Call this after everything else was read. */
  all(): readonly ResourceNode[];
  /** Returns the caches and rate limits; does not read the others. */
  shared(): readonly ResourceNode[];
}

/** An entry of a section, and the component it was read as. */
interface Declaration {
  readonly role: ComponentRole;
  readonly label: string | undefined;
  readonly labelSpan: Span;
  readonly node: MapNode;
  component?: ComponentNode | undefined;
  state: "unread" | "reading" | "read";
  isPlaced: boolean;
}

/** How deep components may be nested: each takes at least two levels of a document. */
const deepest = maximumDepth / 2;

/** The number of components within one, itself included, and how deep they are nested. */
interface Extent {
  readonly size: number;
  readonly height: number;
}

/** Returns a function that measures components, each of them once: those that resources share are counted each time. */
function extents(): (component: ComponentNode) => Extent {
  const known = new Map<ComponentNode, Extent>();
  const extentOf = (component: ComponentNode): Extent => {
    const before = known.get(component);
    if (before !== undefined) return before;
    const inner = [...nestedComponents(component.config), ...(component.processors ?? [])].map(extentOf);
    const extent = {
      size: inner.reduce((sum, { size }) => sum + size, 1),
      height: inner.reduce((most, { height }) => Math.max(most, height), 0) + 1,
    };
    known.set(component, extent);
    return extent;
  };
  return extentOf;
}

/** Returns the resources that the stream at `node` declares. */
export function createResources(node: MapNode, { components, report }: ComponentReading): Resources {
  const declared = declarationsOf(node, report);
  const labelled = new Map<ComponentRole, Map<string, Declaration>>();
  for (const each of declared) {
    const ofRole = labelled.get(each.role) ?? new Map<string, Declaration>();
    labelled.set(each.role, ofRole);
    if (each.label !== undefined) ofRole.set(each.label, each);
  }
  const misdeclared = misdeclaredLabels(node);

  let expansion = 0;
  const extentOf = extents();

  function read(declaration: Declaration, depth: number): ComponentNode | undefined {
    // The last resource of a chain first and without recursion, because a chain can be longer than the stack.
    for (const each of chainFrom(declaration).toReversed()) {
      const { role, node: holder } = each;
      each.component = readComponent(role, holder, { components, report, findResource: findWithin, depth });
      each.state = "read";
    }
    return declaration.component;
  }

  /** Returns the unread resources of which each is only another name of the next one. Marks them as being read. */
  function chainFrom(first: Declaration): readonly Declaration[] {
    const chain: Declaration[] = [];
    for (let next: Declaration | undefined = first; next?.state === "unread"; ) {
      next.state = "reading";
      chain.push(next);
      const reference: MapEntry | undefined = findReference(next.role, next.node, components);
      next = labelled.get(next.role)?.get(findText(reference?.value) ?? "");
    }
    return chain;
  }

  const find = (
    role: ComponentRole,
    label: string,
    span: Span,
    depth: number,
    counts: boolean,
  ): ComponentNode | undefined => {
    const found = labelled.get(role)?.get(label);
    if (found === undefined) {
      const near = nearest(label, [...(labelled.get(role)?.keys() ?? [])]);
      if (misdeclared.has(role, label, near.closest !== undefined)) return undefined;
      report("GW4142", span, { role, label, section: resourceSections[role], ...near });
      const meant = near.closest === undefined ? undefined : labelled.get(role)?.get(near.closest);
      // A resource that is similar to a misspelt name is not reported as unused as well.
      if (meant !== undefined) meant.isPlaced = true;
      return undefined;
    }
    found.isPlaced = true;
    if (found.state === "reading") {
      const related = { span: found.labelSpan, message: "It is declared here." };
      report("GW4144", span, { label }, related);
      return undefined;
    }
    const component = depth > deepest ? undefined : read(found, depth);
    const { size, height } = component === undefined ? { size: 0, height: 0 } : extentOf(component);
    if (depth + height > deepest) {
      report("GW1007", span, { limit: maximumDepth });
      return undefined;
    }
    return isWithin(counts, size, span) ? component : undefined;
  };

  /** Finds what is named inside another resource. It counts where that one is named. */
  function findWithin(...place: Parameters<FindResource>): ComponentNode | undefined {
    return find(...place, false);
  }

  /** Whether the stream may contain a component of that size; adds it if it does `counts`. */
  function isWithin(counts: boolean, size: number, span: Span): boolean {
    const total = expansion + size;
    if (counts) expansion = total;
    if (total <= maximumComponents) return true;
    report("GW1015", span, { limit: maximumComponents, what: "components" });
    return false;
  }

  const nodeOf = (declaration: Declaration): ResourceNode => {
    const component = read(declaration, 0);
    const { role, label, labelSpan, isPlaced } = declaration;
    const isKept =
      component !== undefined && (isPlaced || isWithin(true, extentOf(component).size, labelSpan));
    return { role, label, labelSpan, isPlaced, ...(isKept && { component }) };
  };

  return {
    find: (...place) => find(...place, true),
    all: () => declared.map(nodeOf),
    shared: () => declared.filter(({ role }) => role === "cache" || role === "rate_limit").map(nodeOf),
  };
}

function declarationsOf(stream: MapNode, report: Report): readonly Declaration[] {
  // A label is unique in a whole stream, because the components of each kind are named in the same way.
  const taken = new Map<string, Span>();
  const found: Declaration[] = [];
  for (const [role, section] of sections) {
    const list = findNode(stream, section);
    const items: readonly DocumentNode[] = list?.kind === "list" ? list.items : [];
    for (const item of items) {
      const declaration = declarationOf(role as ComponentRole, item, taken, report);
      if (declaration !== undefined) found.push(declaration);
    }
  }
  return found;
}

const sections = Object.entries(resourceSections);

function declarationOf(
  role: ComponentRole,
  node: DocumentNode,
  taken: Map<string, Span>,
  report: Report,
): Declaration | undefined {
  if (node.kind !== "map") return undefined;
  const entry = findEntry(node, "label");
  const value = entry?.value;
  const written = value?.kind === "scalar" && typeof value.value === "string" ? value.value : "";
  const labelSpan = value?.span ?? node.entries[0]?.keySpan ?? node.span;
  const other = taken.get(written);
  // A label of another type is reported by the schema.
  const isMissing = value === undefined || (value.kind === "scalar" && value.value === "");
  if (isMissing) report("GW4140", labelSpan, { role });
  else if (written === "")
    return { role, label: undefined, labelSpan, node, state: "unread", isPlaced: false };
  else if (other === undefined) taken.set(written, labelSpan);
  else {
    const related = { span: other, message: "The other one is here." };
    report("GW4141", labelSpan, { label: written }, related);
  }
  const label = written === "" || other !== undefined ? undefined : written;
  return { role, label, labelSpan, node, state: "unread", isPlaced: false };
}
