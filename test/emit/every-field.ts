import type { ComponentRole } from "../../schemas/component.ts";
import { formats } from "../../schemas/formats/formats.ts";
import type { Schema } from "../../schemas/schema.ts";

/** How values are written: as literals, or as environment variables if the field allows them. */
export type Manner = "literal" | "environment";

/** A component of each role that is valid on its own, for fields that contain one. */
const small: Readonly<Record<ComponentRole, object>> = {
  input: { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } },
  processor: { mapping: "root.id = this.id" },
  output: { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } },
  scanner: { lines: {} },
  buffer: { memory: {} },
  cache: { memory: {} },
  rate_limit: { local: {} },
};

/** Values that rules about other fields require, by field. */
const constrained: Readonly<Record<string, unknown>> = {
  pong_wait: "90s",
  slide: "3s",
  offset: "2s",
  allowed_lateness: "4s",
  heartbeat_interval: "4s",
  fetch_max_partition_bytes: "2MiB",
  custom_delimiter: ";",
  topics: ["orders"],
  partitioner: "manual",
  // `master` requires sentinels.
  kind: "failover",
  // Idempotent writes require acknowledgements of all replicas.
  ack_replicas: true,
  allowed_verbs: ["PUT"],
  // The text would be the path of a file.
  from_file: false,
  // These documents have no such resource. Only one of a schema and its file applies.
  branch_resources: [],
  // The name of the entry that a map of arbitrary names gets below.
  order: [["Other"]],
};

/** Returns a value for a schema that differs from its default, with every field that has a name of its own. */
export function fieldValue(schema: Schema, manner: Manner, name = "value"): unknown {
  const role = schema["x-component"];
  if (role !== undefined) return small[role];
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > 0) {
    const entries = properties
      .filter(([, field]) => hasOtherValue(field))
      .map(([key, field]) => [key, fieldValue(field, manner, key)] as const);
    const values = new Map<string, unknown>(entries);
    return Object.fromEntries(entries.filter(([key]) => isTakenBeside(schema.properties?.[key], values)));
  }
  if (typeof schema.additionalProperties === "object") {
    return { Other: fieldValue(schema.additionalProperties, manner, name) };
  }
  if (
    Object.hasOwn(constrained, name) &&
    (manner === "literal" || schema.type === "array" || schema["x-fixed"] === true)
  ) {
    return constrained[name];
  }
  if (schema.items !== undefined) return itemsOf(schema.items, manner, name);
  return scalarOf(schema, manner, name);
}

/** Whether a field has an effect with the given switches of its object. */
function isTakenBeside(field: Schema | undefined, values: ReadonlyMap<string, unknown>): boolean {
  return Object.entries(field?.["x-only-with"] ?? {}).every(
    ([other, needed]) => typeof values.get(other) !== "boolean" || values.get(other) === needed,
  );
}

/** Returns the part of a `gateway.yaml` that allows these names. */
export function allowing(names: readonly string[]): { readonly allow_unsafe?: readonly string[] } {
  return names.length === 0 ? {} : { allow_unsafe: [...new Set(names)] };
}

/** Whether a field has its own name, an effect, and a value other than its default. */
export function hasOtherValue(schema: Schema): boolean {
  const only = schema["x-supported"] ?? schema.enum;
  const isFixed = only?.length === 1 && only[0] === schema.default;
  return schema["x-alias"] === undefined && schema["x-reserved"] !== true && !isFixed;
}

function itemsOf(items: Schema, manner: Manner, name: string): readonly unknown[] {
  if (items["x-resource"] === "cache") return ["near", "far"];
  const item = fieldValue(items, manner, name);
  // A case that falls through needs a following case.
  return items.properties?.fallthrough === undefined ? [item] : [item, { processors: [small.processor] }];
}

function scalarOf(schema: Schema, manner: Manner, name: string): unknown {
  if (schema["x-resource"] !== undefined && schema["x-unit"] === undefined) return schema["x-resource"];
  // Arguments and keys of a script are lists.
  if (schema["x-text"] === "mapping")
    return /^(?:args|keys)_mapping$/.test(name) ? "root = [this.id]" : "root.id = this.id";
  if (schema["x-text"] === "query") return "this.id == 1";
  // A variable is a text or a number, so none can stand for an object.
  const fixed = schema["x-fixed"] === true || schema["x-route"] !== undefined || schema.type === "object";
  if (manner === "environment" && !fixed) {
    const read = `\${${name.toUpperCase()}}`;
    // A hyphen is valid in every text format, except in a single word.
    const isText = schema["x-text"] === "interpolated" && schema["x-format"] !== "truth";
    return isText ? `${read}-\${! json("id") }` : read;
  }
  if (schema["x-text"] === "interpolated") {
    const { "x-format": format } = schema;
    return format === undefined ? 'a ${! json("id") } b' : `${formats[format].example}\${! json("id") }`;
  }
  if (schema["x-unit"] === "duration") return "11s";
  if (schema.enum !== undefined) {
    return (schema["x-supported"] ?? schema.enum).find((value) => value !== schema.default);
  }
  if (schema["x-route"] !== undefined) return `/${name}`;
  return plainOf(schema);
}

function plainOf({ type, default: fallback, minimum, examples, "x-format": format }: Schema): unknown {
  const [kind] = typeof type === "string" ? [type] : (type ?? ["string"]);
  switch (kind) {
    case "object":
      return {};
    case "boolean":
      return fallback !== true;
    case "integer":
    case "number":
      return fallback === minimum ? (minimum ?? 0) + 1 : (minimum ?? 2);
    default:
      return (
        examples?.find((example) => example !== fallback) ?? (format && formats[format].example) ?? "text"
      );
  }
}
