// Looking into components for the ones directly inside them.

import type { ComponentNode, FieldNode, MappingField } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";

/** The components that a value lists, or that stand under `name` in it. */
export function componentsIn(field: FieldNode | undefined, name?: string): readonly ComponentNode[] {
  const value = name === undefined ? field : findField(field, name);
  if (value?.kind === "Component") return [value.component];
  const items = value?.kind === "List" ? value.items : [];
  return items.flatMap((item) => (item.kind === "Component" ? [item.component] : []));
}

/** The items of a list, as itself or under `name`. */
export function itemsIn(field: FieldNode, name: string): readonly FieldNode[] {
  const value = field.kind === "List" ? field : findField(field, name);
  return value?.kind === "List" ? value.items : [];
}

/** The mapping under `name`. */
export function mappingIn(field: FieldNode, name: string): MappingField | undefined {
  const value = findField(field, name);
  return value?.kind === "Mapping" ? value : undefined;
}

/** Whether a switch under `name` is on. */
export function isOn(field: FieldNode, name: string): boolean {
  const value = findField(field, name);
  return value?.kind === "Literal" && value.value === true;
}
