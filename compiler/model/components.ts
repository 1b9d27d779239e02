// Looking into components as they were read: the ones inside them, and fields by name.

import { servesClients as hasRoutes } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { nearest } from "../diagnostics/suggest.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../trees/api.ts";
import { type DocumentNode, findEntry, type MapEntry } from "../trees/document.ts";
import { findNamedField, innerFields, type NamedField } from "../trees/fields.ts";

/** Every component of a stream, outer ones before those inside them, in the order of the pipeline. */
export function componentsOf(stream: StreamNode): readonly ComponentNode[] {
  const found = listed.get(stream) ?? listComponents(stream);
  listed.set(stream, found);
  return found;
}

/** Streams that were asked about: dozens of rules go through the components of each. */
const listed = new WeakMap<StreamNode, readonly ComponentNode[]>();

function listComponents(stream: StreamNode): readonly ComponentNode[] {
  const outer = [stream.input, ...stream.processors, stream.output, stream.deadLetter];
  return outer.flatMap((component) => (component === undefined ? [] : withNested(component)));
}

/** Components that a stream declares and that stand nowhere in it: caches, rate limits, what nothing names. */
export function declaredApart({ resources = [] }: StreamNode): readonly ComponentNode[] {
  return resources.flatMap(({ component, isPlaced }) =>
    isPlaced || component === undefined ? [] : withNested(component),
  );
}

function withNested(component: ComponentNode): readonly ComponentNode[] {
  const { config, processors = [] } = component;
  return [component, ...nestedIn(config), ...processors.flatMap(withNested)];
}

/** Every component inside a value, outer ones before those inside them. */
function nestedIn(field: FieldNode): readonly ComponentNode[] {
  return nestedComponents(field).flatMap(withNested);
}

/** Every component directly inside a value, wherever it stands there. */
export function nestedComponents(field: FieldNode): readonly ComponentNode[] {
  return field.kind === "Component" ? [field.component] : innerFields(field).flatMap(nestedComponents);
}

/** What an input says of the replies to its requests. */
export function repliesOf({ config, descriptor }: ComponentNode): NamedField | undefined {
  const properties = descriptor?.schema.properties ?? {};
  const name = Object.keys(properties).find((each) => properties[each]?.["x-replies"] === true);
  return name === undefined ? undefined : findNamedField(config, name);
}

/** Whether something in an object could not be read: what is not there may have been meant by it. */
export function hasUnread(value: FieldNode): boolean {
  return value.kind === "Object" && value.unread !== undefined;
}

/** Whether a key that could not be read is that field, or nearly its name: a mistake of its own, not an absent field. */
export function isMeant(value: FieldNode, name: string, { properties = {} }: Schema): boolean {
  const unread = value.kind === "Object" ? (value.unread ?? []) : [];
  return unread.some((key) => key === name || nearest(key, Object.keys(properties)).closest === name);
}

/** What was written under the component's name. */
export function writtenValue({ node, nameSpan }: ComponentNode): DocumentNode | undefined {
  return node.entries.find(({ keySpan }) => keySpan === nameSpan)?.value;
}

/**
 * The key of a component's value as it was written, readable or not: a field that holds the wrong type
 * is a mistake of its own, not an absent field.
 */
export function findKey(component: ComponentNode, name: string): MapEntry | undefined {
  return findEntry(writtenValue(component), name);
}

/** The components of a stream that read from or write to something, and not to others: no `broker`. */
export function endsOf(stream: StreamNode, role: "input" | "output"): readonly ComponentNode[] {
  return componentsOf(stream).filter((component) => component.role === role && isEnd(component));
}

/** A component and every one inside it. */
export function componentsWithin(component: ComponentNode): readonly ComponentNode[] {
  return withNested(component);
}

/** The outputs a component hands messages to in the end: those inside it, or itself. */
export function endsWithin(component: ComponentNode): readonly ComponentNode[] {
  return withNested(component).filter(isEnd);
}

/** Processors of collected batches are not ends. */
function isEnd({ role, config }: ComponentNode): boolean {
  return role !== "processor" && nestedIn(config).every((inner) => inner.role === "processor");
}

/** Whether clients come to a component over HTTP or WebSocket, rather than that it goes to a broker. */
export function servesClients({ descriptor }: ComponentNode): boolean {
  const component = descriptor;
  return component !== undefined && hasRoutes(component);
}

/** Whether a broker disconnects a client when another one connects with the same `client_id`. */
export function hasExclusiveId({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema.properties?.dynamic_client_id_suffix !== undefined;
}
