import memoryCache from "./caches/memory.schema.json" with { type: "json" };
import noopCache from "./caches/noop.schema.json" with { type: "json" };
import redisCache from "./caches/redis.schema.json" with { type: "json" };
import component from "./component.schema.json" with { type: "json" };
import amqp09Input from "./connectors/amqp-0-9/input.schema.json" with { type: "json" };
import amqp09Output from "./connectors/amqp-0-9/output.schema.json" with { type: "json" };
import amqp1Input from "./connectors/amqp-1/input.schema.json" with { type: "json" };
import amqp1Output from "./connectors/amqp-1/output.schema.json" with { type: "json" };
import batchedInput from "./connectors/batched/input.schema.json" with { type: "json" };
import brokerInput from "./connectors/broker/input.schema.json" with { type: "json" };
import brokerOutput from "./connectors/broker/output.schema.json" with { type: "json" };
import dropOutput from "./connectors/drop/output.schema.json" with { type: "json" };
import dropOnOutput from "./connectors/drop-on/output.schema.json" with { type: "json" };
import fallbackOutput from "./connectors/fallback/output.schema.json" with { type: "json" };
import fileInput from "./connectors/file/input.schema.json" with { type: "json" };
import fileOutput from "./connectors/file/output.schema.json" with { type: "json" };
import generateInput from "./connectors/generate/input.schema.json" with { type: "json" };
import httpClientInput from "./connectors/http-client/input.schema.json" with { type: "json" };
import httpClientOutput from "./connectors/http-client/output.schema.json" with { type: "json" };
import httpServerInput from "./connectors/http-server/input.schema.json" with { type: "json" };
import httpServerOutput from "./connectors/http-server/output.schema.json" with { type: "json" };
import inprocInput from "./connectors/inproc/input.schema.json" with { type: "json" };
import inprocOutput from "./connectors/inproc/output.schema.json" with { type: "json" };
import kafkaInput from "./connectors/kafka/input.schema.json" with { type: "json" };
import kafkaOutput from "./connectors/kafka/output.schema.json" with { type: "json" };
import kafkaFranzInput from "./connectors/kafka-franz/input.schema.json" with { type: "json" };
import kafkaFranzOutput from "./connectors/kafka-franz/output.schema.json" with { type: "json" };
import mqttInput from "./connectors/mqtt/input.schema.json" with { type: "json" };
import mqttOutput from "./connectors/mqtt/output.schema.json" with { type: "json" };
import natsInput from "./connectors/nats/input.schema.json" with { type: "json" };
import natsOutput from "./connectors/nats/output.schema.json" with { type: "json" };
import natsJetstreamInput from "./connectors/nats-jetstream/input.schema.json" with { type: "json" };
import natsJetstreamOutput from "./connectors/nats-jetstream/output.schema.json" with { type: "json" };
import natsKvInput from "./connectors/nats-kv/input.schema.json" with { type: "json" };
import natsKvOutput from "./connectors/nats-kv/output.schema.json" with { type: "json" };
import portalWebhookOutput from "./connectors/portal-webhook/output.schema.json" with { type: "json" };
import readUntilInput from "./connectors/read-until/input.schema.json" with { type: "json" };
import rejectOutput from "./connectors/reject/output.schema.json" with { type: "json" };
import rejectErroredOutput from "./connectors/reject-errored/output.schema.json" with { type: "json" };
import retryOutput from "./connectors/retry/output.schema.json" with { type: "json" };
import sequenceInput from "./connectors/sequence/input.schema.json" with { type: "json" };
import stdinInput from "./connectors/stdin/input.schema.json" with { type: "json" };
import switchOutput from "./connectors/switch/output.schema.json" with { type: "json" };
import syncResponseOutput from "./connectors/sync-response/output.schema.json" with { type: "json" };
import websocketInput from "./connectors/websocket/input.schema.json" with { type: "json" };
import websocketOutput from "./connectors/websocket/output.schema.json" with { type: "json" };
import websocketServerInput from "./connectors/websocket-server/input.schema.json" with { type: "json" };
import websocketServerOutput from "./connectors/websocket-server/output.schema.json" with { type: "json" };
import gateway from "./gateway.schema.json" with { type: "json" };
import management from "./management.schema.json" with { type: "json" };
import archive from "./processors/archive.schema.json" with { type: "json" };
import boundsCheck from "./processors/bounds-check.schema.json" with { type: "json" };
import branch from "./processors/branch.schema.json" with { type: "json" };
import cache from "./processors/cache.schema.json" with { type: "json" };
import cached from "./processors/cached.schema.json" with { type: "json" };
import catchFlagged from "./processors/catch.schema.json" with { type: "json" };
import compress from "./processors/compress.schema.json" with { type: "json" };
import decompress from "./processors/decompress.schema.json" with { type: "json" };
import dedupe from "./processors/dedupe.schema.json" with { type: "json" };
import forEach from "./processors/for-each.schema.json" with { type: "json" };
import groupBy from "./processors/group-by.schema.json" with { type: "json" };
import groupByValue from "./processors/group-by-value.schema.json" with { type: "json" };
import http from "./processors/http.schema.json" with { type: "json" };
import insertPart from "./processors/insert-part.schema.json" with { type: "json" };
import jsonSchema from "./processors/json-schema.schema.json" with { type: "json" };
import log from "./processors/log.schema.json" with { type: "json" };
import mapping from "./processors/mapping.schema.json" with { type: "json" };
import metric from "./processors/metric.schema.json" with { type: "json" };
import mutation from "./processors/mutation.schema.json" with { type: "json" };
import noop from "./processors/noop.schema.json" with { type: "json" };
import parallel from "./processors/parallel.schema.json" with { type: "json" };
import processorGroup from "./processors/processors.schema.json" with { type: "json" };
import rateLimit from "./processors/rate-limit.schema.json" with { type: "json" };
import retry from "./processors/retry.schema.json" with { type: "json" };
import selectParts from "./processors/select-parts.schema.json" with { type: "json" };
import sleep from "./processors/sleep.schema.json" with { type: "json" };
import split from "./processors/split.schema.json" with { type: "json" };
import switchCases from "./processors/switch.schema.json" with { type: "json" };
import syncResponse from "./processors/sync-response.schema.json" with { type: "json" };
import tryInOrder from "./processors/try.schema.json" with { type: "json" };
import unarchive from "./processors/unarchive.schema.json" with { type: "json" };
import whileHolds from "./processors/while.schema.json" with { type: "json" };
import workflow from "./processors/workflow.schema.json" with { type: "json" };
import localRateLimit from "./rate-limits/local.schema.json" with { type: "json" };
import redisRateLimit from "./rate-limits/redis.schema.json" with { type: "json" };
import { resolveSchema } from "./resolve.ts";
import type { Schema } from "./schema.ts";
import stream from "./stream.schema.json" with { type: "json" };
import { unsupported } from "./unsupported.ts";
import apiGateway from "./x-gw-api-gateway.schema.json" with { type: "json" };
import streaming from "./x-gw-streaming.schema.json" with { type: "json" };

export type Role = "input" | "processor" | "output" | ResourceRole;

/** What the components of a stream share, each under a label. */
export type ResourceRole = "cache" | "rate_limit";

/** The two directions of a connector; one that lacks a direction has no schema there. */
export interface ConnectorSchemas {
  readonly input?: Schema;
  readonly output?: Schema;
}

/** Every connector there is, under the name documents use. */
export const connectors: Readonly<Record<string, ConnectorSchemas>> = {
  amqp_0_9: both(amqp09Input, amqp09Output),
  amqp_1: both(amqp1Input, amqp1Output),
  batched: { input: resolveSchema(batchedInput) },
  broker: both(brokerInput, brokerOutput),
  drop: { output: resolveSchema(dropOutput) },
  drop_on: { output: resolveSchema(dropOnOutput) },
  fallback: { output: resolveSchema(fallbackOutput) },
  file: both(fileInput, fileOutput),
  generate: { input: resolveSchema(generateInput) },
  http_client: both(httpClientInput, httpClientOutput),
  http_server: both(httpServerInput, httpServerOutput),
  inproc: both(inprocInput, inprocOutput),
  kafka: both(kafkaInput, kafkaOutput),
  kafka_franz: both(kafkaFranzInput, kafkaFranzOutput),
  mqtt: both(mqttInput, mqttOutput),
  nats: both(natsInput, natsOutput),
  nats_jetstream: both(natsJetstreamInput, natsJetstreamOutput),
  nats_kv: both(natsKvInput, natsKvOutput),
  portal_webhook: { output: resolveSchema(portalWebhookOutput) },
  read_until: { input: resolveSchema(readUntilInput) },
  reject: { output: resolveSchema(rejectOutput) },
  reject_errored: { output: resolveSchema(rejectErroredOutput) },
  retry: { output: resolveSchema(retryOutput) },
  sequence: { input: resolveSchema(sequenceInput) },
  stdin: { input: resolveSchema(stdinInput) },
  switch: { output: resolveSchema(switchOutput) },
  sync_response: { output: resolveSchema(syncResponseOutput) },
  websocket: both(websocketInput, websocketOutput),
  websocket_server: both(websocketServerInput, websocketServerOutput),
};

/** Every processor there is, under the name documents use. */
export const processors: Readonly<Record<string, Schema>> = {
  archive: resolveSchema(archive),
  bounds_check: resolveSchema(boundsCheck),
  branch: resolveSchema(branch),
  cache: resolveSchema(cache),
  cached: resolveSchema(cached),
  catch: resolveSchema(catchFlagged),
  compress: resolveSchema(compress),
  decompress: resolveSchema(decompress),
  dedupe: resolveSchema(dedupe),
  for_each: resolveSchema(forEach),
  group_by: resolveSchema(groupBy),
  group_by_value: resolveSchema(groupByValue),
  http: resolveSchema(http),
  insert_part: resolveSchema(insertPart),
  json_schema: resolveSchema(jsonSchema),
  log: resolveSchema(log),
  mapping: resolveSchema(mapping),
  metric: resolveSchema(metric),
  mutation: resolveSchema(mutation),
  noop: resolveSchema(noop),
  parallel: resolveSchema(parallel),
  processors: resolveSchema(processorGroup),
  rate_limit: resolveSchema(rateLimit),
  retry: resolveSchema(retry),
  select_parts: resolveSchema(selectParts),
  sleep: resolveSchema(sleep),
  split: resolveSchema(split),
  switch: resolveSchema(switchCases),
  sync_response: resolveSchema(syncResponse),
  try: resolveSchema(tryInOrder),
  unarchive: resolveSchema(unarchive),
  while: resolveSchema(whileHolds),
  workflow: resolveSchema(workflow),
};

/** Every kind of resource there is, under the name documents use. */
export const resources: Readonly<Record<ResourceRole, Readonly<Record<string, Schema>>>> = {
  cache: {
    memory: resolveSchema(memoryCache),
    noop: resolveSchema(noopCache),
    redis: resolveSchema(redisCache),
  },
  rate_limit: { local: resolveSchema(localRateLimit), redis: resolveSchema(redisRateLimit) },
};

/**
 * What stands under `resource:` in place of a component: the label of one that the stream declares. Only
 * components that take part in the way of messages can be named so.
 */
export const referenceSchema: Schema = {
  type: "string",
  description: "Label of a component that the stream declares among its resources.",
  "x-fixed": true,
};

/** Where a stream declares what, by the role of what is declared there. */
export const resourceSections: Readonly<Record<Role, string>> = {
  input: "input_resources",
  processor: "processor_resources",
  output: "output_resources",
  cache: "cache_resources",
  rate_limit: "rate_limit_resources",
};

/** Other names of components: `bloblang` is what `mapping` was called before. */
export const componentAliases: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  input: {},
  processor: { bloblang: "mapping" },
  output: {},
  cache: {},
  rate_limit: {},
};

/** Other names of the extensions of an OpenAPI document, by their own. */
export const extensionAliases = {
  "x-gw-streaming": "x-tyk-streaming",
  "x-gw-api-gateway": "x-tyk-api-gateway",
} as const;

/** The parts of a document around its components. */
export const documentSchemas = {
  /** `x-gw-streaming` */
  streaming: resolveSchema(streaming),
  /** One stream, and a bare stream document. */
  stream: resolveSchema(stream),
  /** What stands beside a component: `label`, `schema`. */
  component: resolveSchema(component),
  /** `x-gw-api-gateway` */
  apiGateway: resolveSchema(apiGateway),
  /** `gateway.yaml` */
  gateway: resolveSchema(gateway),
  /** `management.yaml` */
  management: resolveSchema(management),
} as const;

/** Every schema that values are held against, by a name of its own: `input kafka`, `gateway`. */
export function allSchemas(): ReadonlyMap<string, Schema> {
  const roles = ["input", "output"] as const;
  const ofConnectors = Object.entries(connectors).flatMap(([name, schemas]) =>
    roles.flatMap((role) =>
      schemas[role] === undefined ? [] : [[`${role} ${name}`, schemas[role]] as const],
    ),
  );
  const ofProcessors = Object.entries(processors).map(
    ([name, schema]) => [`processor ${name}`, schema] as const,
  );
  const ofResources = Object.entries(resources).flatMap(([role, schemas]) =>
    Object.entries(schemas).map(([name, schema]) => [`${role} ${name}`, schema] as const),
  );
  return new Map([
    ...ofConnectors,
    ...ofProcessors,
    ...ofResources,
    ...Object.entries(documentSchemas),
    ["beside others", besideOthers],
  ]);
}

/** Processors stand beside inputs and outputs only. */
const besideOthers = withoutProcessors(documentSchemas.component);

function withoutProcessors(component: Schema): Schema {
  const { processors: _, ...properties } = component.properties ?? {};
  return { ...component, properties };
}

/** The components of each role, under their own names. */
const byRole: Readonly<Record<Role, Readonly<Record<string, Schema>>>> = {
  input: inDirection("input"),
  processor: processors,
  output: inDirection("output"),
  ...resources,
};

function inDirection(role: "input" | "output"): Readonly<Record<string, Schema>> {
  const found = Object.entries(connectors).flatMap(([name, schemas]) =>
    schemas[role] === undefined ? [] : [[name, schemas[role]] as const],
  );
  return Object.fromEntries(found);
}

/** What may stand beside a component of that role; one object for each answer, as functions are kept by them. */
export function besideSchema(role: Role): Schema {
  return role === "input" || role === "output" ? documentSchemas.component : besideOthers;
}

/** The schema of a component's value; `undefined` where there is no such component in that role. */
export function findSchema(role: Role, name: string): Schema | undefined {
  const own = canonicalName(role, name);
  return Object.hasOwn(byRole[role], own) ? byRole[role][own] : undefined;
}

/** The name a component has in the tables: `mapping` for `bloblang`. */
export function canonicalName(role: Role, name: string): string {
  const aliases = componentAliases[role];
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}

/** The names documents may use for components of that role. */
export function componentNames(role: Role): readonly string[] {
  return [...Object.keys(byRole[role]), ...Object.keys(componentAliases[role])];
}

/** Whether the reference engine has a component of that name in that role that we do not have yet. */
export function isUnsupported(role: Role, name: string): boolean {
  return unsupported[role].includes(name);
}

function both(input: unknown, output: unknown): ConnectorSchemas {
  return { input: resolveSchema(input), output: resolveSchema(output) };
}
