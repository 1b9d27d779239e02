// Validates JSON with our own schemas and converts the errors of ajv to plain facts.

import type { ErrorObject } from "ajv";
import type { Schema } from "../../../schemas/schema.ts";
import { functionOf } from "./schema-functions.ts";

/** A requirement that a value does not meet. */
export interface ShapeMistake {
  /** JSON pointer of the value. */
  readonly pointer: string;
  readonly keyword: string;
  /** The key that is unknown or missing, if that is the mistake. */
  readonly key: string | undefined;
  /** The schema that the value does not meet. */
  readonly schema: Schema;
  readonly value: unknown;
}

/** Returns all mistakes of a value, in the order of the schema. */
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
    // `verbose` returns the object that was compiled, which is one of our schemas.
    schema: (error.parentSchema ?? {}) as Schema,
    value: error.data,
  };
}
