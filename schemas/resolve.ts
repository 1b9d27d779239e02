import type { Schema } from "./schema.ts";
import access from "./shared/access.schema.json" with { type: "json" };
import amqpConnection from "./shared/amqp-connection.schema.json" with { type: "json" };
import batching from "./shared/batching.schema.json" with { type: "json" };
import cors from "./shared/cors.schema.json" with { type: "json" };
import errorHandling from "./shared/error-handling.schema.json" with { type: "json" };
import httpRequest from "./shared/http-request.schema.json" with { type: "json" };
import kafkaConnection from "./shared/kafka-connection.schema.json" with { type: "json" };
import mqttConnection from "./shared/mqtt-connection.schema.json" with { type: "json" };
import nameFilter from "./shared/name-filter.schema.json" with { type: "json" };
import natsConnection from "./shared/nats-connection.schema.json" with { type: "json" };
import program from "./shared/program.schema.json" with { type: "json" };
import redisConnection from "./shared/redis-connection.schema.json" with { type: "json" };
import scanning from "./shared/scanning.schema.json" with { type: "json" };
import sqlConnection from "./shared/sql-connection.schema.json" with { type: "json" };
import tls from "./shared/tls.schema.json" with { type: "json" };
import tracing from "./shared/tracing.schema.json" with { type: "json" };
import stream from "./stream.schema.json" with { type: "json" };

/** Blocks that several components share, by file name. */
const shared: Readonly<Record<string, unknown>> = {
  "access.schema.json": access,
  "amqp-connection.schema.json": amqpConnection,
  "batching.schema.json": batching,
  "cors.schema.json": cors,
  "error-handling.schema.json": errorHandling,
  "http-request.schema.json": httpRequest,
  "kafka-connection.schema.json": kafkaConnection,
  "mqtt-connection.schema.json": mqttConnection,
  "name-filter.schema.json": nameFilter,
  "nats-connection.schema.json": natsConnection,
  "program.schema.json": program,
  "redis-connection.schema.json": redisConnection,
  "scanning.schema.json": scanning,
  "sql-connection.schema.json": sqlConnection,
  "stream.schema.json": stream,
  "tls.schema.json": tls,
  "tracing.schema.json": tracing,
};

/**
 * Returns the content of a schema file with every `$ref` replaced by its target. Keywords next to a `$ref` override
 * those of its target: `{ "$ref": "…/verb", "default": "POST" }`.
 */
export function resolveSchema(file: unknown): Schema {
  // TypeScript widens the literal types of JSON modules; tests validate the contents of the files.
  return resolve(file, file) as Schema;
}

/**
 * Resolved targets of references: many components refer to the same blocks, and the compiler resolves all at each
 * start.
 */
const targets = new WeakMap<object, unknown>();

/** More levels than a schema needs, and few enough for the stack: a schema that refers to itself has no end. */
const deepest = 200;

/** Returns a value with its references resolved: the value itself if it has none, since most parts of schemas have none. */
function resolve(value: unknown, file: unknown, depth = 0): unknown {
  if (depth > deepest)
    throw new Error(`it is nested more than ${deepest} levels deep; a schema cannot contain itself`);
  if (typeof value !== "object" || value === null) return value;
  if (!Object.hasOwn(value, "$ref") && !Object.hasOwn(value, "$defs"))
    return resolveParts(value, file, depth);
  const { $ref, $defs: _, ...own } = value as { readonly $ref?: unknown; readonly $defs?: unknown };
  const beside = resolveParts(own, file, depth);
  if (typeof $ref !== "string") return beside;
  const { $schema: __, ...target } = followReference($ref, file, depth) as { readonly $schema?: string };
  return { ...target, ...beside };
}

/** Returns a list or an object whose parts are resolved; the same one if none of them changes. */
function resolveParts(value: object, file: unknown, depth: number): object {
  const parts = value as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(parts)) {
    const part = resolve(parts[key], file, depth + 1);
    if (part === parts[key]) continue;
    changed ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    changed[key] = part;
  }
  return changed ?? value;
}

function followReference(reference: string, file: unknown, depth: number): unknown {
  const [path = "", pointer = ""] = reference.split("#");
  const target = path === "" ? file : shared[path.slice(path.lastIndexOf("/") + 1)];
  let at: unknown = target;
  for (const key of pointer.split("/").filter((part) => part !== "")) {
    at =
      typeof at === "object" && at !== null
        ? Object.entries(at).find(([name]) => name === key)?.[1]
        : undefined;
  }
  if (at === undefined) throw new Error(`it refers to ${JSON.stringify(reference)}, which does not exist`);
  if (typeof at !== "object" || at === null) return at;
  const known = targets.get(at) ?? resolve(at, target, depth + 1);
  targets.set(at, known);
  return known;
}
