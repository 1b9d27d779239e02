// Finds the components directly inside a component.

import type { ComponentNode, FieldNode, MappingField } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";

/** Returns the components that a value lists, or that it has under `name`. */
export function componentsIn(field: FieldNode | undefined, name?: string): readonly ComponentNode[] {
  const value = name === undefined ? field : findField(field, name);
  if (value?.kind === "Component") return [value.component];
  const items = value?.kind === "List" ? value.items : [];
  return items.flatMap((item) => (item.kind === "Component" ? [item.component] : []));
}

/** Returns the items of a list: of the value itself, or of the list under `name`. */
export function itemsIn(field: FieldNode, name: string): readonly FieldNode[] {
  const value = field.kind === "List" ? field : findField(field, name);
  return value?.kind === "List" ? value.items : [];
}

/** Returns the mapping under `name`. */
export function mappingIn(field: FieldNode, name: string): MappingField | undefined {
  const value = findField(field, name);
  return value?.kind === "Mapping" ? value : undefined;
}

/** Whether the switch `name` is on. */
export function isOn(field: FieldNode, name: string): boolean {
  const value = findField(field, name);
  return value?.kind === "Literal" && value.value === true;
}
