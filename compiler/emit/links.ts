// The one table by which the compiler knows the runtime: which module exports the function that makes a
// component. A test proves that each row is a real export.

import { invariant } from "../diagnostics/invariant.ts";
import {
  type BroughtName,
  besideOption,
  type ComponentPlan,
  type Encoding,
  type MakerName,
} from "../plan/plan.ts";
import { findVariant, variantLinks } from "./variant-links.ts";

/** A function of the runtime, for emitted code to import. */
export interface RuntimeLink {
  /** Module path below the package: `runtime/connectors/kafka/input.ts`. */
  readonly module: string;
  readonly symbol: string;
}

type Links = Readonly<Record<string, RuntimeLink>>;

/** Inputs by their name in documents. */
export const inputLinks: Links = {
  amqp_0_9: { module: "runtime/connectors/amqp-0-9/input.ts", symbol: "amqp09Input" },
  amqp_1: { module: "runtime/connectors/amqp-1/input.ts", symbol: "amqp1Input" },
  batched: { module: "runtime/connectors/batched/input.ts", symbol: "batchedInput" },
  broker: { module: "runtime/connectors/broker/input.ts", symbol: "brokerInput" },
  file: { module: "runtime/connectors/file/input.ts", symbol: "fileInput" },
  generate: { module: "runtime/connectors/generate/input.ts", symbol: "generateInput" },
  http_client: { module: "runtime/connectors/http-client/input.ts", symbol: "httpClientInput" },
  http_server: { module: "runtime/connectors/http-server/input.ts", symbol: "httpServerInput" },
  inproc: { module: "runtime/connectors/inproc/input.ts", symbol: "inprocInput" },
  kafka: { module: "runtime/connectors/kafka/input.ts", symbol: "kafkaInput" },
  kafka_franz: { module: "runtime/connectors/kafka/franz/input.ts", symbol: "kafkaFranzInput" },
  mqtt: { module: "runtime/connectors/mqtt/input.ts", symbol: "mqttInput" },
  nats: { module: "runtime/connectors/nats/input.ts", symbol: "natsInput" },
  nats_jetstream: { module: "runtime/connectors/nats/jetstream/input.ts", symbol: "natsJetstreamInput" },
  nats_kv: { module: "runtime/connectors/nats/kv/input.ts", symbol: "natsKvInput" },
  read_until: { module: "runtime/connectors/read-until/input.ts", symbol: "readUntilInput" },
  sequence: { module: "runtime/connectors/sequence/input.ts", symbol: "sequenceInput" },
  stdin: { module: "runtime/connectors/stdin/input.ts", symbol: "stdinInput" },
  websocket: { module: "runtime/connectors/websocket/input.ts", symbol: "websocketInput" },
  websocket_server: {
    module: "runtime/connectors/websocket-server/input.ts",
    symbol: "websocketServerInput",
  },
};

/** Outputs by their name in documents. */
export const outputLinks: Links = {
  amqp_0_9: { module: "runtime/connectors/amqp-0-9/output.ts", symbol: "amqp09Output" },
  amqp_1: { module: "runtime/connectors/amqp-1/output.ts", symbol: "amqp1Output" },
  broker: { module: "runtime/connectors/broker/output.ts", symbol: "brokerOutput" },
  drop: { module: "runtime/connectors/drop/output.ts", symbol: "dropOutput" },
  drop_on: { module: "runtime/connectors/drop-on/output.ts", symbol: "dropOnOutput" },
  fallback: { module: "runtime/connectors/fallback/output.ts", symbol: "fallbackOutput" },
  file: { module: "runtime/connectors/file/output.ts", symbol: "fileOutput" },
  http_client: { module: "runtime/connectors/http-client/output.ts", symbol: "httpClientOutput" },
  http_server: { module: "runtime/connectors/http-server/output.ts", symbol: "httpServerOutput" },
  inproc: { module: "runtime/connectors/inproc/output.ts", symbol: "inprocOutput" },
  kafka: { module: "runtime/connectors/kafka/output.ts", symbol: "kafkaOutput" },
  kafka_franz: { module: "runtime/connectors/kafka/franz/output.ts", symbol: "kafkaFranzOutput" },
  mqtt: { module: "runtime/connectors/mqtt/output.ts", symbol: "mqttOutput" },
  nats: { module: "runtime/connectors/nats/output.ts", symbol: "natsOutput" },
  nats_jetstream: { module: "runtime/connectors/nats/jetstream/output.ts", symbol: "natsJetstreamOutput" },
  nats_kv: { module: "runtime/connectors/nats/kv/output.ts", symbol: "natsKvOutput" },
  portal_webhook: { module: "runtime/connectors/portal-webhook/output.ts", symbol: "portalWebhookOutput" },
  reject: { module: "runtime/connectors/reject/output.ts", symbol: "rejectOutput" },
  reject_errored: { module: "runtime/connectors/reject-errored/output.ts", symbol: "rejectErroredOutput" },
  retry: { module: "runtime/connectors/retry/output.ts", symbol: "retryOutput" },
  switch: { module: "runtime/connectors/switch/output.ts", symbol: "switchOutput" },
  sync_response: { module: "runtime/connectors/sync-response/output.ts", symbol: "syncResponseOutput" },
  websocket: { module: "runtime/connectors/websocket/output.ts", symbol: "websocketOutput" },
  websocket_server: {
    module: "runtime/connectors/websocket-server/output.ts",
    symbol: "websocketServerOutput",
  },
};

/** Processors by their name in documents. */
export const processorLinks: Links = {
  bloblang: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  bounds_check: { module: "runtime/processors/bounds-check.ts", symbol: "boundsCheck" },
  branch: { module: "runtime/processors/branch.ts", symbol: "branch" },
  cache: { module: "runtime/processors/cache.ts", symbol: "cache" },
  cached: { module: "runtime/processors/cached.ts", symbol: "cached" },
  catch: { module: "runtime/processors/catch.ts", symbol: "catchFlagged" },
  dedupe: { module: "runtime/processors/dedupe.ts", symbol: "dedupe" },
  for_each: { module: "runtime/processors/for-each.ts", symbol: "forEach" },
  group_by: { module: "runtime/processors/group-by.ts", symbol: "groupBy" },
  group_by_value: { module: "runtime/processors/group-by-value.ts", symbol: "groupByValue" },
  http: { module: "runtime/processors/http.ts", symbol: "http" },
  insert_part: { module: "runtime/processors/insert-part.ts", symbol: "insertPart" },
  json_schema: { module: "runtime/processors/json-schema.ts", symbol: "jsonSchema" },
  log: { module: "runtime/processors/log.ts", symbol: "log" },
  mapping: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  metric: { module: "runtime/processors/metric.ts", symbol: "metric" },
  mutation: { module: "runtime/processors/mapping.ts", symbol: "mutation" },
  noop: { module: "runtime/processors/noop.ts", symbol: "noop" },
  parallel: { module: "runtime/processors/parallel.ts", symbol: "parallel" },
  processors: { module: "runtime/processors/processors.ts", symbol: "inOrder" },
  rate_limit: { module: "runtime/processors/rate-limit.ts", symbol: "rateLimit" },
  retry: { module: "runtime/processors/retry.ts", symbol: "retry" },
  select_parts: { module: "runtime/processors/select-parts.ts", symbol: "selectParts" },
  sleep: { module: "runtime/processors/sleep.ts", symbol: "sleep" },
  split: { module: "runtime/processors/split.ts", symbol: "split" },
  switch: { module: "runtime/processors/switch.ts", symbol: "switchCases" },
  sync_response: { module: "runtime/processors/sync-response.ts", symbol: "syncResponse" },
  try: { module: "runtime/processors/try.ts", symbol: "tryInOrder" },
  while: { module: "runtime/processors/while.ts", symbol: "whileHolds" },
  workflow: { module: "runtime/processors/workflow.ts", symbol: "workflow" },
};

/** Caches and rate limits by their name in documents. */
export const resourceLinks: Readonly<Record<"cache" | "rate_limit", Links>> = {
  cache: {
    memory: { module: "runtime/resources/memory-cache.ts", symbol: "memoryCache" },
    noop: { module: "runtime/resources/noop-cache.ts", symbol: "noopCache" },
    redis: { module: "runtime/resources/redis-cache.ts", symbol: "redisCache" },
  },
  rate_limit: {
    local: { module: "runtime/resources/local-rate-limit.ts", symbol: "localRateLimit" },
    redis: { module: "runtime/resources/redis-rate-limit.ts", symbol: "redisRateLimit" },
  },
};

/** `http_server` without sockets: such a gateway carries no WebSocket code. */
const plainInput = {
  module: "runtime/connectors/http-server/plain-input.ts",
  symbol: "plainHttpServerInput",
};
const plainOutput = {
  module: "runtime/connectors/http-server/plain-output.ts",
  symbol: "plainHttpServerOutput",
};

/** `drop_on` with patterns, which bring a library. */
const dropOnPatterns = {
  module: "runtime/connectors/drop-on/patterns-output.ts",
  symbol: "dropOnPatternsOutput",
};

/** `amqp_0_9` that tells failures apart by patterns, which bring a library. */
const rejectingInput = {
  module: "runtime/connectors/amqp-0-9/rejecting-input.ts",
  symbol: "rejectingAmqp09Input",
};

/** `portal_webhook` for a portal elsewhere, which is asked over HTTP. */
const remotePortalWebhook = {
  module: "runtime/connectors/portal-webhook/remote-output.ts",
  symbol: "remotePortalWebhookOutput",
};

/** `generate` by a schedule, where the interval is no mere duration; schedules bring a library. */
const scheduledInput = {
  module: "runtime/connectors/generate/scheduled-input.ts",
  symbol: "scheduledGenerateInput",
};

/** Outputs that send metadata along: the others carry no filter, and no engine for its patterns. */
const filteredOutputs: Links = {
  nats: { module: "runtime/connectors/nats/filtered-output.ts", symbol: "filteredNatsOutput" },
  nats_jetstream: {
    module: "runtime/connectors/nats/jetstream/filtered-output.ts",
    symbol: "filteredNatsJetstreamOutput",
  },
};

/** The function that makes a component, as small as its options allow. */
export function linkOf(component: ComponentPlan): RuntimeLink {
  const { role, name } = component;
  if (name === "http_server" && !hasOption(component, "ws_path")) {
    if (role === "input") return plainInput;
    // With `path` alone, a client that asks for a socket gets one.
    if (role === "output" && hasOption(component, "stream_path")) return plainOutput;
  }
  if (name === "drop_on" && hasOption(component, "error_patterns")) return dropOnPatterns;
  if (role === "input" && name === "generate" && !isPlainInterval(component)) return scheduledInput;
  if (name === "portal_webhook" && hasOption(component, "token")) return remotePortalWebhook;
  if (name === "amqp_0_9" && hasOption(component, "nack_reject_patterns")) return rejectingInput;
  const filtered =
    role === "output" && hasOption(component, "metadata") && Object.hasOwn(filteredOutputs, name)
      ? filteredOutputs[name]
      : undefined;
  const links = { input: inputLinks, output: outputLinks, processor: processorLinks, ...resourceLinks }[role];
  const link = filtered ?? findVariant(component) ?? (Object.hasOwn(links, name) ? links[name] : undefined);
  invariant(link !== undefined, `the ${role} \`${name}\` has a runtime`);
  return link;
}

function hasOption({ options }: ComponentPlan, name: string): boolean {
  return options.fields.some((field) => field.name === name && !field.defaulted);
}

/** Whether `interval` says how often, rather than when; one from the environment may say either. */
function isPlainInterval({ options }: ComponentPlan): boolean {
  const interval = options.fields.find(({ name }) => name === "interval")?.value;
  if (interval?.kind !== "Literal") return false;
  return /^(@every\s+)?[\d.]*[a-zµμ\d.]*$/.test(String(interval.value).trim());
}

/** What wraps the factory of a stream that reads variables of requests. */
export const perRequestLink: RuntimeLink = {
  module: "runtime/instances/per-request.ts",
  symbol: "perRequest",
};

/** What every emitted gateway imports. */
export const gatewayLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineGateway" };

/** What every module of one API imports. */
export const apiLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineApi" };

/** What puts the parts of a stream around what they share. */
export const sharingLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "sharing" };

/** Options that are put around an input or an output by functions of their own. */
const wrappers: Readonly<Record<string, Readonly<Record<"input" | "output", RuntimeLink>>>> = {
  [besideOption]: {
    input: { module: "runtime/with-processors.ts", symbol: "inputWithProcessors" },
    output: { module: "runtime/with-processors.ts", symbol: "outputWithProcessors" },
  },
  batching: {
    input: { module: "runtime/with-batching.ts", symbol: "inputWithBatching" },
    output: { module: "runtime/with-batching.ts", symbol: "outputWithBatching" },
  },
};

/** What puts an option around a component; `undefined` for options that are the component's own. */
export function findWrapper({ role, name }: ComponentPlan, option: string): RuntimeLink | undefined {
  if (role !== "input" && role !== "output") return undefined;
  // A broker has its policy around all of its children.
  if (name === "broker" && option === "batching") return undefined;
  return Object.hasOwn(wrappers, option) ? wrappers[option]?.[role] : undefined;
}

/** What the listener is made of where a set asks for more than plain HTTP. */
export const listenerLinks = {
  tls: { module: "runtime/listener/secure.ts", symbol: "secureListener" },
  proxies: { module: "runtime/listener/trusted-proxies.ts", symbol: "trustedProxies" },
} as const satisfies Links;

/** What makes the policy of an API of its `cors` block. */
export const apiCorsLink: RuntimeLink = { module: "runtime/cors.ts", symbol: "apiCors" };

/** What finds the version of a request, by where it is named. */
export const versionLinks = {
  url: { module: "runtime/versions/in-path.ts", symbol: "versionsInPath" },
  header: { module: "runtime/versions/keyed.ts", symbol: "versionsInHeader" },
  "url-param": { module: "runtime/versions/keyed.ts", symbol: "versionsInQuery" },
} as const satisfies Links;

/** What sends requests on to the upstream of an API. */
export const upstreamLink: RuntimeLink = { module: "runtime/proxy/upstream.ts", symbol: "proxyTo" };

/** What makes something of a block of options before a component gets it. */
export const makerLinks: Readonly<Record<MakerName, RuntimeLink>> = {
  "name-test": { module: "runtime/name-filter.ts", symbol: "createNameFilter" },
  "host-test": { module: "runtime/requests/host-test.ts", symbol: "hostTest" },
  oauth: { module: "runtime/requests/oauth.ts", symbol: "oauthSignature" },
  "client-credentials": { module: "runtime/requests/client-credentials.ts", symbol: "clientCredentials" },
  "basic-credentials": { module: "runtime/requests/basic-credentials.ts", symbol: "basicCredentials" },
  "signed-token": { module: "runtime/requests/signed-token.ts", symbol: "signedToken" },
  proxy: { module: "runtime/requests/proxy.ts", symbol: "createProxy" },
  cors: { module: "runtime/cors.ts", symbol: "corsPolicy" },
  "path-test": { module: "runtime/keys/path-test.ts", symbol: "pathTest" },
  "smtp-mailer": { module: "runtime/portal/mail/smtp-mailer.ts", symbol: "smtpMailer" },
  "password-test": { module: "runtime/keys/passwords.ts", symbol: "passwordTest" },
};

/** What makes texts in which values are encoded by where they stand. */
export const encodedLinks: Readonly<Record<Encoding, RuntimeLink>> = {
  url: { module: "runtime/requests/url-text.ts", symbol: "urlOf" },
  parameters: { module: "runtime/requests/parameter-text.ts", symbol: "parametersOf" },
};

/** What says where a gateway counts requests. */
export const countersLink: RuntimeLink = {
  module: "runtime/limits/gateway-counters.ts",
  symbol: "gatewayCounters",
};

/** What makes the keys of a gateway of its policies and keys. */
export const configuredKeysLink: RuntimeLink = {
  module: "runtime/keys/configured-keys.ts",
  symbol: "configuredKeys",
};

/** What makes the endpoints of tokens of clients. */
export const oauthServerLink: RuntimeLink = {
  module: "runtime/oauth/gateway-oauth.ts",
  symbol: "gatewayOauth",
};

/** What a gateway with a store is made of in place of those two, and besides. */
export const storeLinks = {
  keys: { module: "runtime/keys/store-keys.ts", symbol: "storeKeys" },
  oauth: { module: "runtime/oauth/stored-clients.ts", symbol: "storedOauthServer" },
  store: { module: "runtime/store/gateway-store.ts", symbol: "gatewayStore" },
  portal: { module: "runtime/portal/portal.ts", symbol: "portal" },
} as const satisfies Links;

/** What choices bring along in place of a word. */
export const broughtLinks: Readonly<Record<BroughtName, RuntimeLink>> = {
  broadcast: { module: "runtime/distribution.ts", symbol: "broadcast" },
  "resumable-broadcast": { module: "runtime/resumable-broadcast.ts", symbol: "resumableBroadcast" },
  "acknowledged-client": { module: "runtime/sockets/acknowledged-client.ts", symbol: "joinAcknowledged" },
  "portal-page": { module: "runtime/portal/page/page.ts", symbol: "portalPage" },
};

/** All rows, for the test that proves them. */
export function allLinks(): readonly RuntimeLink[] {
  return [
    gatewayLink,
    apiLink,
    perRequestLink,
    plainInput,
    plainOutput,
    dropOnPatterns,
    rejectingInput,
    scheduledInput,
    remotePortalWebhook,
    ...Object.values(filteredOutputs),
    ...Object.values(wrappers).flatMap(({ input, output }) => [input, output]),
    ...Object.values(inputLinks),
    ...Object.values(outputLinks),
    ...Object.values(processorLinks),
    ...variantLinks,
    ...Object.values(resourceLinks).flatMap((links) => Object.values(links)),
    sharingLink,
    ...Object.values(makerLinks),
    ...Object.values(encodedLinks),
    ...Object.values(broughtLinks),
    apiCorsLink,
    configuredKeysLink,
    oauthServerLink,
    upstreamLink,
    ...Object.values(versionLinks),
    ...Object.values(listenerLinks),
    ...Object.values(storeLinks),
  ];
}
