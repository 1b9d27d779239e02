// The schema of `parquet_encode`: converts columns as documents describe them to the tree of a Parquet file.

import type { SchemaElement } from "hyparquet";
import { MappingError } from "../../errors.ts";
import { isFloat, numeric, toBigInt, toFloat } from "../../mapping/numeric.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { findRepeated } from "../../text/repeated.ts";
import { encodeUtf8 } from "../../text/utf8.ts";

/** An invalid schema. */
export class ParquetSchemaError extends Error {}

/** A value as the file stores it. */
export type Stored = boolean | number | bigint | Uint8Array;

/** A column, or a group of columns. */
export interface ParquetNode {
  readonly element: SchemaElement;
  readonly children: readonly ParquetNode[];
  /** For a column: returns the stored form of a value. Throws a `MappingError` if it has another type. */
  readonly store: ((value: Value) => Stored) | undefined;
  /** For a group: returns the value of the child at an index. */
  readonly pick: (value: Value, index: number) => Value;
  /** For a repeated node: returns its elements. */
  readonly elementsOf: (value: Value) => readonly Value[];
  /** The replacement for a missing value that is required. */
  readonly empty: Value;
}

type Written = Readonly<Record<string, unknown>>;

/** The maximum nesting of groups: more than files have, less than the stack holds. */
const mostDepth = 50;

/** Returns the root of a schema. Throws a `ParquetSchemaError` if it is invalid. */
export function readColumns(fields: unknown): ParquetNode {
  return group("root", "REQUIRED", childrenOf(fields, "schema", 0), {});
}

function childrenOf(fields: unknown, owner: string, depth: number): readonly ParquetNode[] {
  if (depth > mostDepth) throw new ParquetSchemaError("its columns are nested too deeply");
  if (!Array.isArray(fields) || fields.length === 0)
    throw new ParquetSchemaError(`\`${owner}\` has no columns`);
  const children = fields.map((field) => readColumn(field, depth));
  const names = children.map(({ element }) => element.name);
  const twice = names[findRepeated(names)];
  if (twice !== undefined) throw new ParquetSchemaError(`\`${owner}\` has the column \`${twice}\` twice`);
  return children;
}

function readColumn(field: unknown, depth: number): ParquetNode {
  if (!isWritten(field)) throw new ParquetSchemaError("a column is an object with a `name`");
  const { name, type, fields, optional, repeated } = field;
  if (typeof name !== "string" || name === "") throw new ParquetSchemaError("a column has no `name`");
  const repetition = repeated === true ? "REPEATED" : optional === true ? "OPTIONAL" : "REQUIRED";
  switch (type) {
    case undefined:
    case "STRUCT":
      return group(name, repetition, childrenOf(fields, name, depth + 1), {});
    case "LIST":
      return listNode(name, repetition, fields, depth);
    case "MAP":
      return mapNode(name, repetition, fields, depth);
    default:
      return leaf(name, repetition, String(type), field);
  }
}

function isWritten(value: unknown): value is Written {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Repetition = NonNullable<SchemaElement["repetition_type"]>;

/** Returns a group. Without `own`, it is a struct, whose children are its fields. */
function group(
  name: string,
  repetition: Repetition,
  children: readonly ParquetNode[],
  own: Partial<Pick<ParquetNode, "pick" | "elementsOf" | "empty">> & {
    readonly element?: Partial<SchemaElement>;
  },
): ParquetNode {
  const fieldOf = (value: Value, index: number): Value => {
    if (!isObject(value)) throw new MappingError(`parquet: \`${name}\` has to be an object`);
    const key = children[index]?.element.name ?? "";
    return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
  };
  return {
    element: { name, repetition_type: repetition, num_children: children.length, ...own.element },
    children,
    store: undefined,
    pick: own.pick ?? fieldOf,
    elementsOf: own.elementsOf ?? ((value) => listOf(name, value)),
    empty: own.empty ?? (repetition === "REPEATED" ? [] : {}),
  };
}

function listOf(name: string, value: Value): readonly Value[] {
  if (!isArray(value)) throw new MappingError(`parquet: \`${name}\` has to be an array`);
  return value;
}

/** Returns the three levels of a list that the format requires. */
function listNode(name: string, repetition: Repetition, fields: unknown, depth: number): ParquetNode {
  if (!Array.isArray(fields) || fields.length !== 1)
    throw new ParquetSchemaError(`the list \`${name}\` has to have one field, its element`);
  const [element] = childrenOf([{ ...Object(fields[0]), name: "element" }], name, depth + 1);
  const whole = (value: Value) => value;
  const list = group("list", "REPEATED", element === undefined ? [] : [element], {
    pick: whole,
    elementsOf: (value) => listOf(name, value),
  });
  return group(name, repetition, [list], {
    element: { converted_type: "LIST", logical_type: { type: "LIST" } },
    pick: whole,
    empty: [],
  });
}

/** Returns the pairs of keys and values of a map. The keys are the names of an object's fields. */
function mapNode(name: string, repetition: Repetition, fields: unknown, depth: number): ParquetNode {
  if (!Array.isArray(fields) || fields.length !== 2)
    throw new ParquetSchemaError(`the map \`${name}\` has to have two fields, its key and its value`);
  const [key, value] = fields;
  if (!isWritten(key) || key.type !== "UTF8")
    throw new ParquetSchemaError(`keys of the map \`${name}\` have to be UTF8`);
  const pair = childrenOf(
    [
      { type: "UTF8", name: "key" },
      { ...Object(value), name: "value" },
    ],
    name,
    depth + 1,
  );
  const entries = group("key_value", "REPEATED", pair, {
    // An entry is an array of its key and its value.
    pick: (entry, index) => (isArray(entry) ? (entry[index] ?? null) : null),
    elementsOf(object) {
      if (!isObject(object)) throw new MappingError(`parquet: \`${name}\` has to be an object`);
      return Object.entries(object);
    },
  });
  return group(name, repetition, [entries], {
    element: { converted_type: "MAP", logical_type: { type: "MAP" } },
    pick: (object) => object,
  });
}

interface LeafType {
  readonly element: Partial<SchemaElement>;
  readonly store: (value: Value) => Stored | undefined;
  readonly expected: string;
  readonly empty: Value;
}

function leaf(name: string, repetition: Repetition, type: string, field: Written): ParquetNode {
  const known = leafType(type, field, name);
  return {
    element: { name, repetition_type: repetition, ...known.element },
    children: [],
    store(value) {
      const stored = known.store(value);
      if (stored === undefined) throw new MappingError(`parquet: \`${name}\` has to be ${known.expected}`);
      return stored;
    },
    pick: () => null,
    elementsOf: (value) => listOf(name, value),
    empty: repetition === "REPEATED" ? [] : known.empty,
  };
}

function leafType(type: string, field: Written, name: string): LeafType {
  switch (type) {
    case "BOOLEAN":
      return {
        element: { type: "BOOLEAN" },
        store: (value) => (typeof value === "boolean" ? value : undefined),
        expected: "a boolean",
        empty: false,
      };
    case "INT8":
      return whole(8, { type: "INT32", converted_type: "INT_8" });
    case "INT16":
      return whole(16, { type: "INT32", converted_type: "INT_16" });
    case "INT32":
      return whole(32, { type: "INT32" });
    case "INT64":
      return whole(64, { type: "INT64" });
    case "DECIMAL32":
      return whole(32, { type: "INT32", ...decimal(field, name, 9) });
    case "DECIMAL64":
      return whole(64, { type: "INT64", ...decimal(field, name, 18) });
    case "FLOAT":
    case "DOUBLE":
      return { element: { type }, store: floating, expected: "a number", empty: 0 };
    case "UTF8":
      return {
        element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
        store: bytes,
        expected: "a text",
        empty: "",
      };
    case "BYTE_ARRAY":
      return { element: { type: "BYTE_ARRAY" }, store: bytes, expected: "a text or bytes", empty: "" };
    default:
      throw new ParquetSchemaError(`the column \`${name}\` has the unknown type \`${type}\``);
  }
}

function bytes(value: Value): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? encodeUtf8(value) : undefined;
}

function floating(value: Value): number | undefined {
  const number = numeric(value);
  return number === undefined ? undefined : toFloat(number);
}

function whole(bits: 8 | 16 | 32 | 64, element: Partial<SchemaElement>): LeafType {
  return {
    element,
    store(value) {
      const number = numeric(value);
      if (number === undefined || !Number.isFinite(toFloat(number))) return undefined;
      // Fractions are cut off, as in the reference engine.
      const integer = isFloat(number) ? BigInt(Math.trunc(toFloat(number))) : toBigInt(number);
      if (BigInt.asIntN(bits, integer) !== integer) return undefined;
      return bits === 64 ? integer : Number(integer);
    },
    expected: `a whole number of ${bits} bits`,
    empty: 0,
  };
}

/** Decimals in documents are whole numbers in units of the last digit, and are stored unchanged. */
function decimal(field: Written, name: string, most: number): Partial<SchemaElement> {
  const { decimal_precision: precision, decimal_scale: scale = 0 } = field;
  const isFit =
    typeof precision === "number" &&
    typeof scale === "number" &&
    precision >= 1 &&
    precision <= most &&
    scale >= 0 &&
    scale <= precision;
  if (!isFit)
    throw new ParquetSchemaError(
      `the decimal \`${name}\` has to have a \`decimal_precision\` from 1 to ${most}, and a \`decimal_scale\` of at most that`,
    );
  return { converted_type: "DECIMAL", precision, scale, logical_type: { type: "DECIMAL", precision, scale } };
}
