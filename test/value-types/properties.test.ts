import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { test } from "uvu";
import { withField } from "../../compiler/value-types/assign.ts";
import { explainMismatch } from "../../compiler/value-types/assignable.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { intersect } from "../../compiler/value-types/intersect.ts";
import type { JsonSchema } from "../../compiler/value-types/json-schema/json-schema.ts";
import { readJsonSchema } from "../../compiler/value-types/json-schema/read/read-schema.ts";
import { writeJsonSchema } from "../../compiler/value-types/json-schema/write/write-schema.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { anyObject, type Type } from "../../compiler/value-types/type.ts";
import { sameType, unionOf } from "../../compiler/value-types/union.ts";
import { arbitrarySchema, typedSchema } from "./arbitrary-schema.ts";
import { anyType, anyValue, arbitraryValueOf, knownType } from "./arbitrary-type.ts";
import { valueFits } from "./value-fits.ts";

const numRuns = 200;

/** Several values for each schema, because compiling a schema takes longest. */
const someValues = fc.array(anyValue, { minLength: 8, maxLength: 16 });

/** Shared by all tests, because each instance would compile the meta-schema. */
const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });

function validatorOf(schema: JsonSchema): (value: unknown) => boolean {
  return ajv.compile(schema);
}

function property<T extends readonly unknown[]>(
  name: string,
  arbitraries: { readonly [I in keyof T]: fc.Arbitrary<T[I]> },
  holds: (...values: T) => boolean,
): void {
  test(name, () => {
    fc.assert(
      fc.property(fc.tuple(...(arbitraries as readonly fc.Arbitrary<unknown>[])), (values) =>
        holds(...(values as unknown as T)),
      ),
      {
        numRuns,
        seed: 4,
      },
    );
  });
}

property("a type written as a schema is read as the same type", [anyType], (type) =>
  sameType(readJsonSchema(writeJsonSchema(type)), type),
);

property(
  "a written schema accepts the values of the type",
  [anyType, someValues],
  (type: Type, values: readonly unknown[]) => {
    const accepts = validatorOf(writeJsonSchema(type));
    return values.every((value) => accepts(value) === valueFits(type, value));
  },
);

property(
  "a schema that types can say is read to the letter",
  [typedSchema, someValues],
  (schema: JsonSchema, values: readonly unknown[]) => {
    const [accepts, type] = [validatorOf(schema), readJsonSchema(schema)];
    return values.every((value) => accepts(value) === valueFits(type, value));
  },
);

property(
  "whatever a schema accepts its type has",
  [arbitrarySchema, someValues],
  (schema: JsonSchema, values: readonly unknown[]) => {
    const [accepts, type] = [validatorOf(schema), readJsonSchema(schema)];
    return values.every((value) => !accepts(value) || valueFits(type, value));
  },
);

property("a type fits itself", [anyType], (type) => {
  return explainMismatch(readJsonSchema(writeJsonSchema(type)), type).length === 0;
});

property(
  "a type fits a union with it",
  [anyType, anyType],
  (a: Type, b: Type) => explainMismatch(a, unionOf([a, b])).length === 0,
);

property("an intersection fits both", [anyType, anyType], (a: Type, b: Type) => {
  const both = intersect(a, b);
  return explainMismatch(both, a).length === 0 && explainMismatch(both, b).length === 0;
});

property(
  "an intersection has the values of both",
  [anyType, anyType, anyValue],
  (a: Type, b: Type, value) =>
    valueFits(intersect(a, b), value) === (valueFits(a, value) && valueFits(b, value)),
);

property(
  "values of a type that fits are values of what is wanted",
  [knownType.chain((type) => fc.tuple(fc.constant(type), arbitraryValueOf(type))), anyType],
  ([found, value]: [Type, unknown], wanted: Type) =>
    explainMismatch(found, wanted).length > 0 || valueFits(wanted, value),
);

property(
  "no value of a type fits where it is said to be certain",
  [knownType.chain((type) => fc.tuple(fc.constant(type), arbitraryValueOf(type))), anyType],
  ([found, value]: [Type, unknown], wanted: Type) =>
    !explainMismatch(found, wanted).some(({ certain }) => certain) || !valueFits(wanted, value),
);

property("what was assigned is read", [anyType, anyType], (before: Type, value: Type) => {
  const after = withField(intersect(before, anyObject), ["a"], value);
  return after.kind === "Never" || sameType(fieldOf(after, "a").type, value);
});

property(
  "printed types keep to their length",
  [anyType, fc.integer({ min: 20, max: 120 })],
  (type: Type, maximumLength: number) => printType(type, { maximumLength }).length <= maximumLength,
);

test.run();
