// Reads Avro schemas (Avro 1.11): converts JSON to a type that reads and writes values.

import { parseJsonText } from "../../message/json.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../../message/value.ts";
import { findRepeated } from "../../text/repeated.ts";
import { canonicalForm } from "./canonical.ts";
import { arrayType, mapType, type RecordField, recordType, unionType } from "./containers.ts";
import { asEncoded, withMeaning } from "./logical.ts";
import { asCharacters, enumType, fixedType, primitives } from "./primitives.ts";
import type { AvroType } from "./type.ts";

/** An invalid schema. */
export class AvroSchemaError extends Error {}

/** Options for reading a schema. */
export interface AvroOptions {
  /**
   * Values have the form of Avro's JSON encoding: bytes are texts with one character for each byte, and logical types
   * are those beneath them. With `bare`, values of unions are written without the name of their type.
   */
  readonly json?: "tagged" | "bare";
  /** Other schemas that define named types, in the order of their use. */
  readonly references?: readonly string[];
}

/** A schema that is ready to read and write values. */
export interface AvroSchema {
  readonly type: AvroType;
  /** The canonical form, which identifies a schema. */
  readonly canonical: string;
}

const validName = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
/** The maximum nesting of types. */
const mostDepth = 200;

/** Reads the text of a schema. Throws an `AvroSchemaError` if it is not valid. */
export function readAvroSchema(text: string, { json, references = [] }: AvroOptions = {}): AvroSchema {
  const reader = new SchemaReader(json);
  for (const reference of references) reader.read(parsed(reference), "", 0);
  const schema = parsed(text);
  return { type: reader.read(schema, "", 0), canonical: canonicalForm(schema) };
}

function parsed(text: string): Value {
  const result = parseJsonText(text);
  // Registries return the bare name of a primitive type.
  if ("reason" in result && primitives.has(text)) return text;
  if ("reason" in result)
    throw new AvroSchemaError(`it is not valid JSON: ${result.reason.replace("parse as json: ", "")}`);
  return result.value;
}

class SchemaReader {
  readonly #json: AvroOptions["json"];
  readonly #named = new Map<string, AvroType>();

  constructor(json: AvroOptions["json"]) {
    this.#json = json;
  }

  read(schema: Value, namespace: string, depth: number): AvroType {
    if (depth > mostDepth) throw new AvroSchemaError("its types are nested too deeply");
    if (typeof schema === "string") return this.#find(schema, namespace);
    if (isArray(schema)) return this.#union(schema, namespace, depth);
    if (!isObject(schema)) throw new AvroSchemaError("a type is a name, an object or an array");
    const type = own(schema, "type");
    switch (type) {
      case "record":
      case "error":
        return this.#record(schema, namespace, depth);
      case "enum":
        return this.#enum(schema, namespace);
      case "fixed":
        return this.#meant(schema, this.#fixed(schema, namespace));
      case "array":
        return arrayType(this.#inner(schema, "items", namespace, depth));
      case "map":
        return mapType(this.#inner(schema, "values", namespace, depth));
      case undefined:
        throw new AvroSchemaError("a type has no `type`");
      default:
        return this.#meant(schema, this.read(type, namespace, depth + 1));
    }
  }

  #inner(schema: ObjectValue, key: string, namespace: string, depth: number): AvroType {
    const inner = own(schema, key);
    if (inner === undefined) throw new AvroSchemaError(`a type has no \`${key}\``);
    return this.read(inner, namespace, depth + 1);
  }

  #find(name: string, namespace: string): AvroType {
    const within =
      namespace !== "" && !name.includes(".") ? this.#named.get(`${namespace}.${name}`) : undefined;
    const primitive = primitives.get(name);
    if (primitive !== undefined) return name === "bytes" ? this.#ofBytes(primitive) : primitive;
    const found = within ?? this.#named.get(name);
    if (found === undefined) throw new AvroSchemaError(`unknown type \`${name}\``);
    return found;
  }

  #union(schemas: readonly Value[], namespace: string, depth: number): AvroType {
    if (schemas.length === 0) throw new AvroSchemaError("a union has no types");
    const members = schemas.map((schema) => this.read(schema, namespace, depth + 1));
    const names = members.map(({ name }) => name);
    const twice = names[findRepeated(names)];
    if (twice !== undefined) throw new AvroSchemaError(`a union has the type \`${twice}\` twice`);
    return unionType(members, this.#json === "bare");
  }

  #record(schema: ObjectValue, namespace: string, depth: number): AvroType {
    const [name, inner] = this.#name(schema, namespace);
    const fields: RecordField[] = [];
    const record = recordType(name, fields);
    // Registered before its fields are read, because they may contain such records.
    this.#named.set(name, record);
    const written = own(schema, "fields");
    if (written === undefined || !isArray(written))
      throw new AvroSchemaError(`record \`${name}\` has no \`fields\``);
    for (const field of written) fields.push(this.#field(field, name, inner, depth));
    const names = fields.map((field) => field.name);
    const twice = names[findRepeated(names)];
    if (twice !== undefined) throw new AvroSchemaError(`record \`${name}\` has the field \`${twice}\` twice`);
    return record;
  }

  #field(field: Value, record: string, namespace: string, depth: number): RecordField {
    const name = isObject(field) ? own(field, "name") : undefined;
    if (!isObject(field) || typeof name !== "string" || !validName.test(name) || name.includes("."))
      throw new AvroSchemaError(`a field of the record \`${record}\` has no valid name`);
    const type = this.#inner(field, "type", namespace, depth);
    const written = own(field, "default");
    if (written === undefined) return { name, type, fallback: undefined };
    const of = own(field, "type");
    try {
      return { name, type, fallback: { value: fallbackOf(type, of, written) } };
    } catch {
      // The error of the type is about a message, but there is none here.
      throw new AvroSchemaError(`the default of the field \`${name}\` is not of its type`);
    }
  }

  #enum(schema: ObjectValue, namespace: string): AvroType {
    const [name] = this.#name(schema, namespace);
    const symbols = own(schema, "symbols");
    const texts =
      symbols !== undefined && isArray(symbols) ? symbols.filter((each) => typeof each === "string") : [];
    if (texts.length === 0) throw new AvroSchemaError(`enum \`${name}\` has no \`symbols\``);
    const type = enumType(name, texts);
    this.#named.set(name, type);
    return type;
  }

  #fixed(schema: ObjectValue, namespace: string): AvroType {
    const [name] = this.#name(schema, namespace);
    const size = own(schema, "size");
    if (typeof size !== "number" || size < 1) throw new AvroSchemaError(`fixed \`${name}\` has no \`size\``);
    const type = this.#ofBytes(fixedType(name, size));
    this.#named.set(name, type);
    return type;
  }

  #ofBytes(type: AvroType): AvroType {
    return this.#json === undefined ? type : asCharacters(type);
  }

  #meant(schema: ObjectValue, type: AvroType): AvroType {
    const meaning = own(schema, "logicalType");
    if (typeof meaning !== "string") return type;
    const [precision = 0, scale = 0, size = 0] = ["precision", "scale", "size"].map((key) => {
      const value = own(schema, key);
      return typeof value === "number" ? value : 0;
    });
    if (meaning === "decimal" && (precision < 1 || scale < 0 || scale > precision || precision > 1000))
      throw new AvroSchemaError("a decimal has a `precision` from 1, and a `scale` of at most that");
    const logical = withMeaning(type, meaning, { precision, scale, size });
    return this.#json === undefined ? logical : asEncoded(type, logical);
  }

  /** Returns the full name of a definition, and the namespace for the names in it. */
  #name(schema: ObjectValue, namespace: string): readonly [name: string, namespace: string] {
    const [name, space] = [own(schema, "name"), own(schema, "namespace")];
    if (typeof name !== "string" || !validName.test(name))
      throw new AvroSchemaError(`a ${String(own(schema, "type"))} has no valid \`name\``);
    const full = fullName(name, typeof space === "string" ? space : namespace);
    if (this.#named.has(full)) throw new AvroSchemaError(`the type \`${full}\` is defined twice`);
    return [full, full.slice(0, Math.max(0, full.lastIndexOf(".")))];
  }
}

/**
 * Converts a default. It is written like the first type of a union, without its tag; bytes are written as characters.
 */
function fallbackOf(type: AvroType, schema: Value | undefined, written: Value): Value {
  if (schema !== undefined && isArray(schema)) {
    const [first] = schema;
    if (first === "null" || written === null) return type.fromJson(null);
    const name = typeof first === "string" ? first : undefined;
    return type.fromJson(
      name === undefined || !type.accepts({ [name]: written }) ? written : { [name]: written },
    );
  }
  return type.fromJson(written);
}

function fullName(name: string, namespace: string): string {
  return name.includes(".") || namespace === "" ? name : `${namespace}.${name}`;
}

function own(object: ObjectValue, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
