// Gives descriptors access to the options of a planned component.

import type { KnownOptions } from "../../schemas/component.ts";
import type { ObjectPlan, ValuePlan } from "./plan.ts";

/** Returns the contents of `options`. `literal` and `texts` include defaults. */
export function plannedOptions({ fields }: ObjectPlan): KnownOptions {
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  return {
    has: (name) => fieldOf(name)?.defaulted === false,
    isSet: (name) => {
      const value = fieldOf(name)?.value;
      return (
        value !== undefined && !(value.kind === "Literal" && (value.value === "" || value.value === null))
      );
    },
    literal: (path) => {
      const [name = "", ...inner] = path.split(".");
      const value = inner.reduce(fieldIn, fieldOf(name)?.value);
      return value?.kind === "Literal" ? value.value : undefined;
    },
    texts: (name) => itemsOf(fieldOf(name)?.value).map(textOf),
    beginnings: (name) => itemsOf(fieldOf(name)?.value).map(beginningOf),
  };
}

/** Returns the items of a list, or a single value as the only item. */
function itemsOf(value: ValuePlan | undefined): readonly ValuePlan[] {
  if (value === undefined) return [];
  return value.kind === "List" ? value.items : [value];
}

function textOf(value: ValuePlan): string | undefined {
  return value.kind === "Literal" && typeof value.value === "string" ? value.value : undefined;
}

/** Returns the text up to the first part that is read or computed. */
function beginningOf(value: ValuePlan): string {
  if (value.kind === "Environment") return value.parts[0]?.kind === "Text" ? value.parts[0].text : "";
  if (value.kind === "JoinedText") return value.parts[0] === undefined ? "" : beginningOf(value.parts[0]);
  return textOf(value) ?? "";
}

function fieldIn(value: ValuePlan | undefined, name: string): ValuePlan | undefined {
  return value?.kind === "Object" ? value.fields.find((field) => field.name === name)?.value : undefined;
}
