// Every configured value of a set, for phases that look at all of one kind.

import type { ApiDocument, ApiSet, ComponentNode, FieldNode, StreamNode } from "./api.ts";

/** What of a set holds configured values. */
export interface ConfiguredSet extends Pick<ApiSet, "settingsFields"> {
  readonly apis: readonly Pick<ApiDocument, "gatewayFields" | "streams">[];
}

/** The configured values of a set's settings, gateway parts and streams; outer before inner. */
export function* fieldsOf(set: ConfiguredSet): Iterable<FieldNode> {
  if (set.settingsFields !== undefined) yield* fieldsWithin(set.settingsFields);
  for (const api of set.apis) {
    if (api.gatewayFields !== undefined) yield* fieldsWithin(api.gatewayFields);
    for (const stream of api.streams) yield* fieldsOfStream(stream);
  }
}

/** The configured values of one stream. */
export function* fieldsOfStream(stream: StreamNode): Iterable<FieldNode> {
  const { input, processors, output, deadLetter, resources = [] } = stream;
  // What is named somewhere stands there, too.
  const apart = resources.flatMap(({ component, isPlaced }) => (isPlaced ? [] : [component]));
  for (const component of [input, ...processors, output, deadLetter, ...apart]) {
    if (component !== undefined) yield* fieldsOfComponent(component);
  }
}

function* fieldsOfComponent({ config, processors = [] }: ComponentNode): Iterable<FieldNode> {
  yield* fieldsWithin(config);
  for (const processor of processors) yield* fieldsOfComponent(processor);
}

function* fieldsWithin(field: FieldNode): Iterable<FieldNode> {
  yield field;
  if (field.kind === "Component") yield* fieldsOfComponent(field.component);
  for (const inner of innerFields(field)) yield* fieldsWithin(inner);
}

/** The values that a list or an object is made of; a component is none of them. */
export function innerFields(field: FieldNode): readonly FieldNode[] {
  if (field.kind === "List") return field.items;
  return field.kind === "Object" ? field.fields.map(({ value }) => value) : [];
}
