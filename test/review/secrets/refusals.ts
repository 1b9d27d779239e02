// A gateway whose connections are all refused, with a secret in each place of a connection that can contain one.

import fc from "fast-check";
import { stringify } from "yaml";
import { marker } from "./documents.ts";

/** Addresses as `host:port` of servers that refuse the credentials, and of one where nothing listens. */
export interface Refusing {
  readonly nats: string;
  readonly mqtt: string;
  readonly rabbitmq: string;
  readonly redis: string;
  readonly kafka: string;
  /** Answers 401 and repeats the request. */
  readonly http: string;
  readonly nobody: string;
}

/** Documents with secrets, and the environment variables that contain half of the secrets. */
export interface RefusedSet {
  readonly api: string;
  readonly settings: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns a set for `seed`, which decides the characters of each secret and whether it is literal or in the
 * environment.
 */
export function refusedSet(servers: Refusing, seed: number): RefusedSet {
  const env: Record<string, string> = {};
  const random = fc.sample(fc.record({ text: fc.string({ maxLength: 8 }), isWritten: fc.boolean() }), {
    seed,
    numRuns: 200,
  });
  let count = 0;
  const place = (text: string, isWritten: boolean) => {
    if (isWritten) return text.replaceAll(/[$\\]/g, "_");
    const name = `SECRET_${count}`;
    env[name] = text;
    return `\${${name}}`;
  };
  /** A secret of any characters except control characters, which no credential contains. */
  const secret = () => {
    count += 1;
    const { text = "", isWritten = false } = random[count] ?? {};
    return place(`${marker}${text.replaceAll(/[^ -~]/g, "~")}${count}`, isWritten);
  };
  /** A secret inside an address. */
  const inAddress = () => {
    count += 1;
    const { text = "", isWritten = false } = random[count] ?? {};
    return place(encodeURIComponent(`${marker}${text.replaceAll(/[^ -~]/g, "~")}${count}`), isWritten);
  };
  const address = (scheme: string, at: string, path = "") => `${scheme}://shop:${inAddress()}@${at}${path}`;
  const oauth2 = () => ({
    enabled: true,
    client_key: "shop",
    client_secret: secret(),
    token_url: `${address("http", servers.http, "/token")}?code=${inAddress()}`,
    endpoint_params: { password: [secret()] },
  });
  const request = (at: string, own: object) => ({
    url: `${address("http", at, "/orders")}?token=${inAddress()}`,
    headers: { "X-Api-Key": secret(), Cookie: `session=${secret()}` },
    retries: 0,
    retry_period: "100ms",
    dump_request_log_level: "INFO",
    ...own,
  });
  const polls = {
    plain: request(servers.http, {}),
    nobody: request(servers.nobody, {}),
    basic: request(servers.http, { basic_auth: { enabled: true, username: "shop", password: secret() } }),
    oauth2: request(servers.http, { oauth2: oauth2() }),
    oauth: request(servers.http, {
      oauth: {
        enabled: true,
        consumer_key: "shop",
        consumer_secret: secret(),
        access_token: secret(),
        access_token_secret: secret(),
      },
    }),
    proxied: request(servers.http, { proxy_url: address("http", servers.nobody) }),
    streamed: request(servers.http, { stream: { enabled: true } }),
  };
  const sasl = (mechanism: string) => ({ mechanism, user: "shop", password: secret() });
  const kafka = { addresses: [servers.kafka], topics: ["t"], consumer_group: "g" };
  const pem = `-----BEGIN PRIVATE KEY-----\n${secret()}\n-----END PRIVATE KEY-----`;
  const inputs: Readonly<Record<string, object>> = {
    ...Object.fromEntries(Object.entries(polls).map(([name, own]) => [`poll-${name}`, { http_client: own }])),
    nats: { nats: { urls: [address("nats", servers.nats)], subject: "s" } },
    "nats-token": { nats: { urls: [`nats://${inAddress()}@${servers.nats}`], subject: "s" } },
    "nats-seed": {
      nats: {
        urls: [`nats://${servers.nats}`],
        subject: "s",
        auth: { user_jwt: secret(), user_nkey_seed: secret() },
      },
    },
    jetstream: {
      nats_jetstream: { urls: [address("nats", servers.nats)], stream: "s", durable: "d" },
    },
    kv: { nats_kv: { urls: [address("nats", servers.nats)], bucket: "b" } },
    mqtt: {
      mqtt: {
        urls: [`mqtt://${servers.mqtt}`],
        topics: ["t"],
        user: "shop",
        password: secret(),
        will: { enabled: true, topic: "t", payload: secret() },
      },
    },
    "mqtt-address": { mqtt: { urls: [address("mqtt", servers.mqtt)], topics: ["t"] } },
    rabbitmq: { amqp_0_9: { urls: [address("amqp", servers.rabbitmq, "/")], queue: "q" } },
    "amqp-1": {
      amqp_1: {
        urls: [`amqp://${servers.rabbitmq}/`],
        source_address: "/queues/q",
        sasl: { mechanism: "plain", user: "shop", password: secret() },
      },
    },
    "amqp-1-address": {
      amqp_1: { urls: [address("amqp", servers.rabbitmq, "/")], source_address: "/queues/q" },
    },
    "kafka-plain": { kafka: { ...kafka, sasl: sasl("PLAIN") } },
    "kafka-scram": { kafka: { ...kafka, sasl: sasl("SCRAM-SHA-256") } },
    "kafka-token": { kafka: { ...kafka, sasl: { mechanism: "OAUTHBEARER", access_token: secret() } } },
    "kafka-oauth2": { kafka: { ...kafka, sasl: { mechanism: "OAUTHBEARER", oauth2: oauth2() } } },
    "kafka-key": {
      kafka: {
        ...kafka,
        tls: { enabled: true, client_certs: [{ cert: pem, key: pem, password: secret() }] },
      },
    },
    websocket: {
      websocket: {
        url: `${address("ws", servers.http, "/")}?token=${inAddress()}`,
        headers: { "X-Api-Key": secret() },
      },
    },
  };
  const streams = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, { input, output: { drop: {} } }]),
  );
  const cached = {
    input: { generate: { interval: "100ms", mapping: "root.id = 1" } },
    pipeline: { processors: [{ cache: { resource: "cache", operator: "get", key: "k" } }] },
    output: { drop: {} },
    cache_resources: [{ label: "cache", redis: { url: address("redis", servers.redis) } }],
  };
  const api = {
    openapi: "3.1.1",
    info: { title: "Refused", version: "1" },
    paths: {},
    "x-gw-api-gateway": {
      info: { name: "Refused", id: "refused", state: { active: true } },
      server: { listenPath: { value: "/refused/" } },
      upstream: { url: `http://${servers.nobody}/` },
    },
    "x-gw-streaming": { streams: { ...streams, cached } },
  };
  const settings = {
    apis: ["api.yaml"],
    streaming: { enabled: true },
    analytics: {
      prometheus: {},
      opentelemetry: {
        endpoint: address("http", servers.http, "/otlp"),
        headers: { authorization: secret() },
        interval: "1s",
      },
    },
  };
  return { api: stringify(api, { lineWidth: 0 }), settings: stringify(settings, { lineWidth: 0 }), env };
}

/** The marker as it is, in Base64 at each alignment, and in hexadecimal digits. */
const forms: readonly string[] = [
  marker,
  ...[0, 1, 2].map((shift) => {
    const shifted = Buffer.from(`${"_".repeat(shift)}${marker}`).toString("base64");
    return shifted.slice(shift === 0 ? 0 : shift + 1, -4);
  }),
  Buffer.from(marker).toString("hex"),
];

/** Returns the first occurrence of a secret in any form, with the text around it; `undefined` if there is none. */
export function findSecret(text: string): string | undefined {
  for (const form of forms) {
    const at = text.indexOf(form);
    if (at !== -1) return text.slice(Math.max(0, at - 300), at + 80);
  }
  return undefined;
}
