// JSON against a schema of ours. What ajv says of it comes out as plain facts.

import type { ErrorObject } from "ajv";
import type { Schema } from "../../../schemas/schema.ts";
import { functionOf } from "./schema-functions.ts";

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

/** All mistakes of a value, in the order of the schema. */
export function validate(schema: Schema, value: unknown): readonly ShapeMistake[] {
  const check = functionOf(schema);
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
