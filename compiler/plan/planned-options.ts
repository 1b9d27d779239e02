// The options of a planned component, as descriptors read them.

import type { KnownOptions } from "../../schemas/component.ts";
import type { ObjectPlan, ValuePlan } from "./plan.ts";

/** What `options` hold; `literal` and `texts` see defaults, too. */
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
    texts: (name) => {
      const value = fieldOf(name)?.value;
      if (value === undefined) return [];
      return (value.kind === "List" ? value.items : [value]).map((item) =>
        item.kind === "Literal" && typeof item.value === "string" ? item.value : undefined,
      );
    },
  };
}

function fieldIn(value: ValuePlan | undefined, name: string): ValuePlan | undefined {
  return value?.kind === "Object" ? value.fields.find((field) => field.name === name)?.value : undefined;
}
