// Values in lists and maps of which a function of the runtime makes something.

import type { Schema } from "../../schemas/schema.ts";
import type { ValuePlan } from "./plan.ts";

/** The value with what its schema, and those inside it, have made of values (`x-made-by`). */
export function withMakers<T extends ValuePlan>(value: T, schema: Schema): T;
export function withMakers(value: ValuePlan, schema: Schema): ValuePlan {
  if (value.kind === "List") {
    const { items = {} } = schema;
    return { ...value, items: value.items.map((item) => withMakers(item, items)) };
  }
  if (value.kind !== "Object") return value;
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const fields = value.fields.map((field) => {
    const own = schema.properties?.[field.name] ?? others;
    const maker = own["x-made-by"];
    return { ...field, value: withMakers(field.value, own), ...(maker && { maker }) };
  });
  return { ...value, fields };
}
