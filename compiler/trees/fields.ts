// Visits every configured value of a set, for phases that examine all values of one kind.

import type { ApiDocument, ApiSet, ComponentNode, FieldNode, ObjectField, StreamNode } from "./api.ts";

/** The parts of a set that contain configured values. */
export interface ConfiguredSet extends Pick<ApiSet, "settingsFields"> {
  readonly apis: readonly Pick<ApiDocument, "gatewayFields" | "streams">[];
}

/** Returns the configured values of a set's settings, gateway parts and streams, outer before inner. */
export function fieldsOf(set: ConfiguredSet): readonly FieldNode[] {
  const found: FieldNode[] = [];
  if (set.settingsFields !== undefined) addField(set.settingsFields, found);
  for (const api of set.apis) {
    if (api.gatewayFields !== undefined) addField(api.gatewayFields, found);
    for (const stream of api.streams) for (const field of fieldsOfStream(stream)) found.push(field);
  }
  return found;
}

/** Returns the configured values of one stream. */
export function fieldsOfStream(stream: StreamNode): readonly FieldNode[] {
  const found = listed.get(stream) ?? listFields(stream);
  listed.set(stream, found);
  return found;
}

/** Cache by stream: every check visits the values of each a dozen times. */
const listed = new WeakMap<StreamNode, readonly FieldNode[]>();

function listFields(stream: StreamNode): readonly FieldNode[] {
  const { input, processors, output, deadLetter, resources = [] } = stream;
  // A resource that is named somewhere also appears at that place.
  const apart = resources.flatMap(({ component, isPlaced }) => (isPlaced ? [] : [component]));
  const found: FieldNode[] = [];
  for (const component of [input, ...processors, output, deadLetter, ...apart])
    if (component !== undefined) addComponent(component, found);
  return found.slice();
}

/** Returns the configured values of one component, and of those inside it. */
export function fieldsOfComponent(component: ComponentNode): readonly FieldNode[] {
  const found: FieldNode[] = [];
  addComponent(component, found);
  return found;
}

function addComponent({ config, processors = [] }: ComponentNode, found: FieldNode[]): void {
  addField(config, found);
  for (const processor of processors) addComponent(processor, found);
}

function addField(field: FieldNode, found: FieldNode[]): void {
  found.push(field);
  if (field.kind === "Component") addComponent(field.component, found);
  for (const inner of innerFields(field)) addField(inner, found);
}

/** Returns the values in a list or an object. A component has none. */
export function innerFields(field: FieldNode): readonly FieldNode[] {
  if (field.kind === "List") return field.items;
  return field.kind === "Object" ? field.fields.map(({ value }) => value) : [];
}

/** Returns every component directly inside a value, at any depth of lists and objects. */
export function nestedComponents(field: FieldNode): readonly ComponentNode[] {
  return field.kind === "Component" ? [field.component] : innerFields(field).flatMap(nestedComponents);
}

/** A field of an object, with its key. */
export type NamedField = ObjectField["fields"][number];

/** Returns the field `name` of a value; `undefined` if the value is no object or has no such field. */
export function findNamedField(value: FieldNode | undefined, name: string): NamedField | undefined {
  return value?.kind === "Object" ? value.fields.find((field) => field.name === name) : undefined;
}

/** Returns the text of a field if it is known at build time. */
export function literalText(value: FieldNode | undefined): string | undefined {
  return value?.kind === "Literal" && typeof value.value === "string" ? value.value : undefined;
}

/** Returns the text of a field up to the first part that is read or computed. */
export function writtenBeginning(value: FieldNode): string {
  if (value.kind === "Literal") return String(value.value ?? "");
  const [first] = value.kind === "Environment" || value.kind === "Template" ? value.parts : [];
  return first?.kind === "Text" ? first.text : "";
}

/** Returns the value below `path`; `undefined` if there is none. */
export function findField(field: FieldNode | undefined, ...path: readonly string[]): FieldNode | undefined {
  let at = field;
  for (const name of path) {
    if (at?.kind !== "Object") return undefined;
    at = at.fields.find((each) => each.name === name)?.value;
  }
  return at;
}

/** Returns the object below `path`. */
export function findObject(
  field: FieldNode | undefined,
  ...path: readonly string[]
): ObjectField | undefined {
  const found = findField(field, ...path);
  return found?.kind === "Object" ? found : undefined;
}

/**
 * Returns the value as written, with objects by field name and durations in milliseconds. `computed` returns the value of
 * what is known only when the gateway starts or runs; by default there is none.
 */
export function plainValueOf(
  field: FieldNode,
  computed: (field: FieldNode) => unknown = () => undefined,
): unknown {
  switch (field.kind) {
    case "Literal":
      return field.value;
    case "Duration":
      return field.milliseconds;
    case "List":
      return field.items.map((item) => plainValueOf(item, computed));
    case "Object":
      return Object.fromEntries(field.fields.map(({ name, value }) => [name, plainValueOf(value, computed)]));
    default:
      return computed(field);
  }
}
