// Options of components made of others, as the runtime takes them: copies are there as often as asked for,
// cases say what their checks read, components to be made later are marked.

import type { Schema } from "../../schemas/schema.ts";
import { readsFailure } from "./failure-sources.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";

/** The options of a component whose schema is `schema`. */
export function completeOptions(options: ObjectPlan, schema: Schema): ObjectPlan {
  const marked = { ...options, fields: options.fields.map((field) => markFactories(field, schema)) };
  if (schema.properties?.copies !== undefined) return withCopies(marked);
  return schema.properties?.cases === undefined ? marked : withCaseFacts(marked);
}

/** `read_until.input`, `sequence.inputs` */
function markFactories(field: FieldPlan, { properties = {} }: Schema): FieldPlan {
  const schema = properties[field.name];
  const isFactory = (schema?.items ?? schema)?.["x-factory"] === true;
  return isFactory ? { ...field, value: markLate(field.value) } : field;
}

function markLate(value: ValuePlan): ValuePlan {
  if (value.kind === "Component") return { ...value, isMadeLater: true };
  return value.kind === "List" ? { ...value, items: value.items.map(markLate) } : value;
}

/** `copies: 2` of `[a, b]` is `[a, b, a, b]`. */
function withCopies({ fields, ...options }: ObjectPlan): ObjectPlan {
  const copies = fields.find(({ name }) => name === "copies")?.value;
  const count = copies?.kind === "Literal" ? Number(copies.value) : 1;
  const others = fields.filter(({ name }) => name !== "copies");
  return { ...options, fields: others.map((field) => ({ ...field, value: repeated(field, count) })) };
}

function repeated({ name, value }: FieldPlan, count: number): ValuePlan {
  if (value.kind !== "List" || (name !== "inputs" && name !== "outputs")) return value;
  return { ...value, items: Array.from({ length: count }, () => value.items).flat() };
}

/** A case whose check asks whether a processor failed is meant for messages that one failed on. */
function withCaseFacts({ fields, ...options }: ObjectPlan): ObjectPlan {
  return {
    ...options,
    fields: fields.map((field) => {
      if (field.name !== "cases" || field.value.kind !== "List") return field;
      return { ...field, value: { ...field.value, items: field.value.items.map(withFact) } };
    }),
  };
}

function withFact(item: ValuePlan): ValuePlan {
  if (item.kind !== "Object") return item;
  const check = item.fields.find(({ name }) => name === "check")?.value;
  const output = item.fields.some(({ name }) => name === "output");
  if (!output || check?.kind !== "QueryPlan" || !readsFailure(check)) return item;
  const fact = { name: "reads_failure", value: { kind: "Literal", value: true }, defaulted: false } as const;
  return { ...item, fields: [...item.fields, fact] };
}
