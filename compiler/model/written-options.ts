// Provides the options that a document writes for a component in the form that descriptors read.

import { descriptorOf, type InputDivision, type KnownOptions } from "../../schemas/component.ts";
import type { ComponentNode, FieldNode } from "../trees/api.ts";
import { findField, literalText, writtenBeginning } from "../trees/fields.ts";

/** Returns the content of `config`. Fields with a default count only if they are written. */
export function writtenOptions(config: FieldNode): KnownOptions {
  const fieldValue = (field: string) => findField(config, field);
  return {
    has: (field) => fieldValue(field) !== undefined,
    isSet: (field) => {
      const value = fieldValue(field);
      return (
        value !== undefined && !(value.kind === "Literal" && (value.value === "" || value.value === null))
      );
    },
    literal: (field) => {
      const value = findField(config, ...field.split("."));
      return value?.kind === "Literal" ? value.value : undefined;
    },
    texts: (field) => itemsOf(fieldValue(field)).map(literalText),
    beginnings: (field) => itemsOf(fieldValue(field)).map(writtenBeginning),
  };
}

/** Returns the items of a list, or a single value as the only item. */
function itemsOf(value: FieldNode | undefined): readonly FieldNode[] {
  if (value === undefined) return [];
  return value.kind === "List" ? value.items : [value];
}

/** Returns how replicas divide the messages of an input; `undefined` for other components and unknown inputs. */
export function divisionOf({ role, descriptor }: ComponentNode): InputDivision | undefined {
  return role === "input" ? descriptorOf(role, { descriptor })?.division : undefined;
}

/** Whether the broker of an input sends each message to one replica. */
export function isDivided(component: ComponentNode): boolean {
  return divisionOf(component)?.isDivided(writtenOptions(component.config)) === true;
}
