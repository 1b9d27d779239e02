// Components of the reference engine that are not supported: the reason, and the closest alternative.

import type { ComponentRole } from "./component.ts";
import { referenceNames } from "./reference-names.ts";

/** Why a component is not supported, and the alternative. */
export interface Refusal {
  /** A clause that follows "as". */
  readonly why: string;
  /** A sentence in the imperative. */
  readonly instead: string;
}

const ownPackage = "bring a component of your own by `sluice component init`";

/** Returns the refusal for a service of one vendor, whose client library a gateway would contain. */
function cloud(
  vendor: string,
  instead = `Call its HTTP interface with \`http_client\` or \`http\`, or ${ownPackage}.`,
): Refusal {
  return { why: `it is a service of ${vendor} with a client of its own`, instead };
}

const aws = cloud("Amazon");
const azure = cloud("Microsoft Azure");
const gcp = cloud("Google Cloud");
const machineLearning: Refusal = {
  why: "it runs machine learning models inside the process",
  instead: "Serve the model over HTTP, and call it with the processor `http`.",
};
const native: Refusal = {
  why: "its clients need native code, which one bundled file cannot carry",
  instead: `Put a broker in between that both sides speak, or ${ownPackage}.`,
};
const database: Refusal = {
  why: "it needs the client of one database",
  instead: `Write to \`sql_insert\` where the data can be in PostgreSQL, or ${ownPackage}.`,
};
const search: Refusal = {
  why: "its bulk interface is plain HTTP",
  instead: "Use `http_client` with `batching`, `archive: { format: lines }` and the address of `_bulk`.",
};
const http: Refusal = {
  why: "it is one request to an HTTP interface",
  instead: "Use `http_client` with the address of the service.",
};
const abandoned: Refusal = {
  why: "its project has ended",
  instead: "Use `nats_jetstream`.",
};
const filesElsewhere: Refusal = {
  why: "no maintained client in plain JavaScript exists",
  instead: "Mount the file system, and use `file`.",
};
const otherLanguage: Refusal = {
  why: "it would run code of another language in the process",
  instead: "Use `mapping`, or a method of your own by `sluice component init`.",
};
const dynamic: Refusal = {
  why: "what a gateway runs is settled when it is built",
  instead: "Deploy another version of the document, which takes over without a lost message.",
};
const notYet: Refusal = { why: "it is not there yet", instead: "Use another component." };

/** Refusals by the beginning of the name. */
const byPrefix: readonly (readonly [prefix: string, refusal: Refusal])[] = [
  ["aws_", aws],
  ["azure_", azure],
  ["gcp_", gcp],
  ["nlp_", machineLearning],
  ["elasticsearch", search],
  ["zmq4", native],
  ["cypher", database],
];

const byName: Readonly<Record<string, Refusal>> = {
  beanstalkd: native,
  cassandra: database,
  cockroachdb_changefeed: {
    why: "it needs a session that never ends in one database",
    instead: "Have the changefeed write to Kafka or to a webhook, and read that.",
  },
  couchbase: database,
  discord: http,
  mongodb: database,
  duckdb_append: native,
  questdb: {
    why: "it takes lines of text over TCP or HTTP",
    instead: "Use `http_client` with the address of `/write`.",
  },
  datadog_logs: http,
  slack_webhook: http,
  splunk: http,
  splunk_hec: http,
  pusher: http,
  opensearch: search,
  snowflake_put: cloud("Snowflake"),
  timeplus: cloud("Timeplus"),
  twitter_search: cloud("X", "Poll its HTTP interface with `http_client` and `rate_limit`."),
  dynamic,
  etcd: { why: "it speaks gRPC", instead: "Watch keys of a NATS bucket with `nats_kv`." },
  grpc_client: {
    why: "calls of gRPC are not there yet",
    instead: "Put a gateway for JSON in front of the service, and use `http_client`.",
  },
  hdfs: filesElsewhere,
  sftp: filesElsewhere,
  s2: cloud("S2"),
  kubernetes_watch: {
    why: "it needs the rights of a controller in a cluster",
    instead: "Read the watch of the API server with `http_client` and `stream.enabled`.",
  },
  nanomsg: native,
  nats_stream: abandoned,
  nsq: native,
  parquet: {
    why: "the reference engine keeps it for old documents only",
    instead: "Use `parquet_decode` or `parquet_encode`.",
  },
  pulsar: native,
  javascript: otherLanguage,
  python: otherLanguage,
  wasm: otherLanguage,
  opensnowcat: cloud("Snowplow"),
  sentry_capture: http,
  elasticsearch: search,
};

/** Names in documents for older releases or the vendor's gateway that the manual does not list. */
const olderNames: Readonly<Partial<Record<ComponentRole, readonly string[]>>> = {
  input: ["aws_sqs_s3", "couchbase", "cypher", "gcp_bigquery", "questdb", "splunk", "timeplus"],
  output: ["splunk", "timeplus"],
  processor: ["aws_bedrock_chat", "parquet"],
};

/** Returns every name of a kind in the reference engine, including older ones. */
export function knownNames(kind: ComponentRole): readonly string[] {
  return [...new Set([...referenceNames[kind], ...(olderNames[kind] ?? [])])];
}

/** Returns why a component of the reference engine is not supported. */
export function refusalOf(name: string): Refusal {
  const own = Object.hasOwn(byName, name) ? byName[name] : undefined;
  return own ?? byPrefix.find(([prefix]) => name.startsWith(prefix))?.[1] ?? notYet;
}
