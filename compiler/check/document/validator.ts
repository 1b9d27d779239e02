// JSON against a schema of ours. The only place that knows ajv: what it says comes out as plain facts.

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { annotations, type Schema } from "../../../schemas/schema.ts";

/** Something a value does not meet. */
export interface ShapeMistake {
  /** JSON pointer of the value. */
  readonly pointer: string;
  readonly keyword: string;
  /** The key that is unknown or missing, where that is the mistake. */
  readonly key: string | undefined;
  /** The schema the value should have met. */
  readonly schema: Schema;
  readonly value: unknown;
}

const ajv = /* @__PURE__ */ new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  keywords: [...annotations],
  formats: { regex: isRegularExpression },
});

/** Compiled schemas; a schema always compiles to the same function. */
const compiled = new WeakMap<Schema, ValidateFunction>();

/** All mistakes of a value, in the order of the schema. */
export function validate(schema: Schema, value: unknown): readonly ShapeMistake[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  return check(value) ? [] : (check.errors ?? []).map(toMistake);
}

function toMistake(error: ErrorObject): ShapeMistake {
  const { additionalProperty, missingProperty } = error.params as Readonly<Record<string, unknown>>;
  const key = additionalProperty ?? missingProperty;
  return {
    pointer: error.instancePath,
    keyword: error.keyword,
    key: typeof key === "string" ? key : undefined,
    // `verbose` gives back the object that was compiled, which is one of ours.
    schema: (error.parentSchema ?? {}) as Schema,
    value: error.data,
  };
}

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
