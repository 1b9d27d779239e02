import fc from "fast-check";
import {
  arrayOf,
  bool,
  type Field,
  float,
  integer,
  nullType,
  string,
  type Type,
  unknown,
} from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";

/** Few names and values, so that types of one run have something in common. */
const names = ["a", "b", "c"];
const number = unionOf([integer, float]);

const scalar: fc.Arbitrary<Type> = fc.constantFrom<Type>(
  nullType,
  bool,
  integer,
  number,
  string,
  { kind: "String", value: "x" },
  { kind: "String", value: "y" },
  { kind: "Integer", value: 1n },
  { kind: "Bool", value: true },
);

/** Types that JSON Schemas can say; of objects `rest` is one of these. */
function arbitraryType(rests: readonly (Type | undefined)[]): fc.Arbitrary<Type> {
  return fc.letrec<{ type: Type }>((tie) => ({
    type: fc.oneof(
      { depthSize: "small", maxDepth: 3, withCrossShrink: true },
      scalar,
      tie("type").map((items): Type => arrayOf(items)),
      fc
        .tuple(
          fc.dictionary(fc.constantFrom(...names), fc.record({ type: tie("type"), required: fc.boolean() })),
          fc.constantFrom(...rests),
        )
        .map(
          ([fields, rest]): Type => ({
            kind: "Object",
            fields: new Map<string, Field>(Object.entries(fields)),
            rest,
          }),
        ),
      fc.array(tie("type"), { minLength: 1, maxLength: 3 }).map(unionOf),
    ),
  })).type;
}

/** Types whose objects may be open. */
export const anyType: fc.Arbitrary<Type> = arbitraryType([undefined, unknown, string]);

/** Types of which everything is known. */
export const knownType: fc.Arbitrary<Type> = arbitraryType([undefined]);

/** JSON values over the same names and values. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 1.5, "x", "y", "z"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...names, "d"), tie("value"), { noNullPrototype: true }),
  ),
})).value;

/** A value of a type without recursion, arrays in it not empty. */
export function arbitraryValueOf(type: Type): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "Null":
      return fc.constant(null);
    case "Bool":
      return type.value === undefined ? fc.boolean() : fc.constant(type.value);
    case "Integer":
      return type.value === undefined ? fc.constantFrom(0, 1, 2) : fc.constant(Number(type.value));
    case "Float":
      return fc.constant(1.5);
    case "String":
      return type.value === undefined ? fc.constantFrom("x", "y", "z") : fc.constant(type.value);
    case "Array":
      return fc.array(arbitraryValueOf(type.items), { minLength: 1, maxLength: 2 });
    case "Object": {
      const fields = Array.from(
        type.fields,
        ([name, field]) => [name, arbitraryValueOf(field.type)] as const,
      );
      const requiredKeys = Array.from(type.fields).flatMap(([name, { required }]) =>
        required ? [name] : [],
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
    }
    case "Union":
      return fc.oneof(...type.members.map(arbitraryValueOf));
    default:
      throw new Error(`no values of ${type.kind}`);
  }
}
