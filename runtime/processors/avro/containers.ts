// Avro types that contain others: arrays, maps, records and unions.

import { MappingError } from "../../errors.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { type AvroJsonSchema, type AvroType, mismatch, quoteText } from "./type.ts";

/** Returns the type of arrays with elements of one type. */
export function arrayType(items: AvroType): AvroType {
  const require = (value: Value) => {
    if (!isArray(value)) throw mismatch("array", "an array", value);
    return value;
  };
  return {
    name: "array",
    read(reader) {
      const elements: Value[] = [];
      reader.within(() => reader.blocks(() => elements.push(items.read(reader))));
      return elements;
    },
    write(value, writer) {
      const elements = require(value);
      if (elements.length > 0) writer.long(elements.length);
      for (const element of elements) items.write(element, writer);
      writer.long(0);
    },
    fromJson: (json) => require(json).map((each) => items.fromJson(each)),
    toJson: (value) =>
      `[${require(value)
        .map((each) => items.toJson(each))
        .join(",")}]`,
    schema: () => ({ type: "array", items: items.schema() }),
    accepts: isArray,
  };
}

/** Returns the type of maps with values of one type. */
export function mapType(values: AvroType): AvroType {
  const entriesOf = (value: Value) => {
    if (!isObject(value)) throw mismatch("map", "an object", value);
    return Object.entries(value);
  };
  return {
    name: "map",
    read(reader) {
      const entries: [string, Value][] = [];
      reader.within(() =>
        reader.blocks(() => {
          const key = decodeUtf8(reader.take(reader.long()));
          entries.push([key, values.read(reader)]);
        }),
      );
      return Object.fromEntries(entries);
    },
    write(value, writer) {
      const entries = entriesOf(value);
      if (entries.length > 0) writer.long(entries.length);
      for (const [key, each] of entries) {
        writer.counted(encodeUtf8(key));
        values.write(each, writer);
      }
      writer.long(0);
    },
    fromJson: (json) =>
      Object.fromEntries(entriesOf(json).map(([key, each]) => [key, values.fromJson(each)])),
    toJson: (value) =>
      `{${entriesOf(value)
        .map(([key, each]) => `${quoteText(key)}:${values.toJson(each)}`)
        .join(",")}}`,
    schema: () => ({ type: "object", additionalProperties: values.schema() }),
    accepts: isObject,
  };
}

/** A field of a record. `fallback`: the default value, used if a document omits the field. */
export interface RecordField {
  readonly name: string;
  readonly type: AvroType;
  readonly fallback: { readonly value: Value } | undefined;
}

/** Returns the type of records. `fields` may be filled later, because fields can refer to the record by name. */
export function recordType(name: string, fields: readonly RecordField[]): AvroType {
  const fieldValue = (value: Value, field: RecordField) => {
    if (!isObject(value)) throw mismatch(`record \`${name}\``, "an object", value);
    const own = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (own !== undefined) return { own };
    if (field.fallback !== undefined) return { fallback: field.fallback.value };
    throw new MappingError(`avro: record \`${name}\` expects the field \`${field.name}\``);
  };
  let isDescribed = false;
  return {
    name,
    read(reader) {
      reader.count(1 + fields.length);
      return reader.within(() =>
        Object.fromEntries(fields.map((field) => [field.name, field.type.read(reader)])),
      );
    },
    write(value, writer) {
      if (!isObject(value)) throw mismatch(`record \`${name}\``, "an object", value);
      for (const field of fields) {
        const { own, fallback = null } = fieldValue(value, field);
        inField(field, () => field.type.write(own ?? (own === undefined ? fallback : null), writer));
      }
    },
    fromJson(json) {
      if (!isObject(json)) throw mismatch(`record \`${name}\``, "an object", json);
      const unknown = Object.keys(json).find((key) => !fields.some((field) => field.name === key));
      if (unknown !== undefined)
        throw new MappingError(`avro: record \`${name}\` has no field \`${unknown}\``);
      return Object.fromEntries(
        fields.map((field) => {
          const { own, fallback = null } = fieldValue(json, field);
          return [field.name, own === undefined ? fallback : inField(field, () => field.type.fromJson(own))];
        }),
      );
    },
    toJson(value) {
      const members = fields.map((field) => {
        const { own, fallback = null } = fieldValue(value, field);
        const content = own === undefined ? fallback : own;
        return `${quoteText(field.name)}:${inField(field, () => field.type.toJson(content))}`;
      });
      return `{${members.join(",")}}`;
    },
    schema() {
      // A recursive record is described once; its further occurrences accept every object.
      if (isDescribed) return { type: "object" };
      isDescribed = true;
      const properties = Object.fromEntries(fields.map((field) => [field.name, field.type.schema()]));
      isDescribed = false;
      return {
        type: "object",
        properties,
        required: fields.map((field) => field.name),
        additionalProperties: false,
      };
    },
    accepts: (value) =>
      isObject(value) && Object.keys(value).every((key) => fields.some((field) => field.name === key)),
  };
}

function inField<T>({ name }: RecordField, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new MappingError(`${error.message} (field \`${name}\`)`);
  }
}

/**
 * Returns the type of unions. Values other than null are objects whose only key names the type. With `isBare`, they are
 * plain values, of the first type that accepts them.
 */
export function unionType(members: readonly AvroType[], isBare: boolean): AvroType {
  const names = members.map(({ name }) => name).join(", ");
  function memberOf(value: Value): {
    readonly index: number;
    readonly type: AvroType;
    readonly inner: Value;
  } {
    const index = members.findIndex(({ name, accepts }) =>
      value === null || isBare ? accepts(value) : isTagged(value, name),
    );
    const type = members[index];
    if (type === undefined)
      throw mismatch(
        "union",
        isBare ? `one of ${names}` : `null or an object with one key of ${names}`,
        value,
      );
    const inner = value !== null && !isBare && isObject(value) ? (value[type.name] ?? null) : value;
    return { index, type, inner };
  }
  const tagged = (type: AvroType, value: Value): Value =>
    type.name === "null" || isBare ? value : { [type.name]: value };
  return {
    name: "union",
    read(reader) {
      const index = Number(reader.long());
      const type = members[index];
      if (type === undefined) throw new MappingError(`avro: union has no member ${index}`);
      return tagged(
        type,
        reader.within(() => type.read(reader)),
      );
    },
    write(value, writer) {
      const { index, type, inner } = memberOf(value);
      writer.long(index);
      type.write(inner, writer);
    },
    fromJson(json) {
      const { type, inner } = memberOf(json);
      return tagged(type, type.fromJson(inner));
    },
    toJson(value) {
      const { type, inner } = memberOf(value);
      const text = type.toJson(inner);
      return type.name === "null" || isBare ? text : `{${quoteText(type.name)}:${text}}`;
    },
    schema: () => ({ anyOf: members.map((type) => taggedSchema(type, isBare)) }),
    accepts: (value) => members.some((type) => (isBare ? type.accepts(value) : isTagged(value, type.name))),
  };
}

function isTagged(value: Value, name: string): boolean {
  return isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, name);
}

function taggedSchema(type: AvroType, isBare: boolean): AvroJsonSchema {
  if (type.name === "null" || isBare) return type.schema();
  const properties = { [type.name]: type.schema() };
  return { type: "object", properties, required: [type.name], additionalProperties: false };
}
