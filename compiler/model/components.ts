// Finds nested components and fields by name in components that were read.

import { servesClients as hasRoutes } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { nearest } from "../diagnostics/suggest.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../trees/api.ts";
import { type DocumentNode, findEntry, type MapEntry } from "../trees/document.ts";
import { nestedComponents } from "../trees/fields.ts";
import { textOf, type WrittenText } from "./written.ts";

/** Returns every component of a stream in the order of the pipeline, outer ones before those inside them. */
export function componentsOf(stream: StreamNode): readonly ComponentNode[] {
  const found = listed.get(stream) ?? listComponents(stream);
  listed.set(stream, found);
  return found;
}

/** Cache by stream: dozens of rules visit the components of each. */
const listed = new WeakMap<StreamNode, readonly ComponentNode[]>();

function listComponents(stream: StreamNode): readonly ComponentNode[] {
  const outer = [stream.input, ...stream.processors, stream.output, stream.deadLetter];
  return outer.flatMap((component) => (component === undefined ? [] : withNested(component)));
}

/** Returns the components that a stream declares and does not place: caches, rate limits, unused resources. */
export function declaredApart({ resources = [] }: StreamNode): readonly ComponentNode[] {
  return resources.flatMap(({ component, isPlaced }) =>
    isPlaced || component === undefined ? [] : withNested(component),
  );
}

function withNested(component: ComponentNode): readonly ComponentNode[] {
  const { config, processors = [] } = component;
  return [component, ...nestedIn(config), ...processors.flatMap(withNested)];
}

/** Returns every component inside a value, outer ones before those inside them. */
function nestedIn(field: FieldNode): readonly ComponentNode[] {
  return nestedComponents(field).flatMap(withNested);
}

/** Whether a part of an object could not be read. A field that seems absent may have been meant by it. */
export function hasUnread(value: FieldNode): boolean {
  return value.kind === "Object" && value.unread !== undefined;
}

/** Whether an unread key is that field, or similar to its name. That is a different mistake than an absent field. */
export function isMeant(value: FieldNode, name: string, { properties = {} }: Schema): boolean {
  const unread = value.kind === "Object" ? (value.unread ?? []) : [];
  return unread.some((key) => key === name || nearest(key, Object.keys(properties)).closest === name);
}

/** Returns the pipeline of a stream as it is written, and the processors in it. */
export function writtenPipeline(stream: DocumentNode) {
  const pipeline = findEntry(stream, "pipeline")?.value;
  return { pipeline, processors: findEntry(pipeline, "processors")?.value };
}

/** Returns the label that is written in an object with a component. */
export function labelOf(node: DocumentNode): WrittenText | undefined {
  return textOf(findEntry(node, "label")?.value);
}

/** Returns the value that is written under the component's name. */
export function writtenValue({ node, nameSpan }: ComponentNode): DocumentNode | undefined {
  return node.entries.find(({ keySpan }) => keySpan === nameSpan)?.value;
}

/**
 * Returns the key of a component's value as written, readable or not: a field with the wrong type is a different
 * mistake than an absent field.
 */
export function findKey(component: ComponentNode, name: string): MapEntry | undefined {
  return findEntry(writtenValue(component), name);
}

/**
 * Returns the components of a stream that read from or write to something, not those that contain others, such as
 * `broker`.
 */
export function endsOf(stream: StreamNode, role: "input" | "output"): readonly ComponentNode[] {
  const found = listedEnds.get(stream) ?? listEnds(stream);
  listedEnds.set(stream, found);
  return found[role];
}

interface Ends {
  readonly input: readonly ComponentNode[];
  readonly output: readonly ComponentNode[];
}

/** Cache by stream, like that of its components. */
const listedEnds = new WeakMap<StreamNode, Ends>();

function listEnds(stream: StreamNode): Ends {
  const ends = componentsOf(stream).filter(isEnd);
  return {
    input: ends.filter(({ role }) => role === "input"),
    output: ends.filter(({ role }) => role === "output"),
  };
}

/** Returns a component and every one inside it. */
export function componentsWithin(component: ComponentNode): readonly ComponentNode[] {
  return withNested(component);
}

/** Returns the outputs that finally receive the messages of a component: those inside it, or itself. */
export function endsWithin(component: ComponentNode): readonly ComponentNode[] {
  return withNested(component).filter(isEnd);
}

/** Whether a component is an end. A component may be one even if it contains processors of collected batches. */
function isEnd({ role, config }: ComponentNode): boolean {
  return role !== "processor" && nestedIn(config).every((inner) => inner.role === "processor");
}

/**
 * Whether clients connect to a component over HTTP or WebSocket, as opposed to a component that connects to a broker.
 */
export function servesClients({ descriptor }: ComponentNode): boolean {
  const component = descriptor;
  return component !== undefined && hasRoutes(component);
}
