// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { Text } from "../../../../component/text.ts";
import type { TokenMaker } from "../../../../connectors/kafka/msk-token.ts";
import type { QueryFunction, ResultMapFunction } from "../../../../processors/functions.ts";

/**
 * Writes each message as a record to a Kafka topic, with the fields of `kafka_franz`. It uses the same client as `kafka`.
 */
export interface KafkaFranzOutputOptions {
  /**
   * Brokers to contact first, as `host:port`.
   */
  readonly seed_brokers: readonly string[];
  /**
   * Topic to write to.
   */
  readonly topic: Text;
  /**
   * Key of the record. Records with the same key stay in order.
   */
  readonly key?: Text;
  /**
   * How the partition of a record is selected: by a hash of its key, in turn, the partition with the fewest waiting records, one partition after the other in runs of `uniform_bytes_options`, or by `partition`. By default, keys are hashed, and records without a key are written in runs.
   */
  readonly partitioner?: "least_backup" | "manual" | "murmur2_hash" | "round_robin" | "uniform_bytes";
  readonly uniform_bytes_options?: KafkaUniformBytes;
  /**
   * Number of the partition, with `partitioner: manual`.
   */
  readonly partition?: Text;
  /**
   * Name shown to the brokers.
   */
  readonly client_id?: string;
  readonly tls?: Tls;
  /**
   * Proves to the brokers who we are, by one method.
   */
  readonly sasl?: readonly KafkaSaslMethod[];
  /**
   * Whether the brokers recognise repeated requests, so that a record is not written twice by them.
   */
  readonly idempotent_write?: boolean;
  readonly metadata?: KafkaMetadataFilter;
  /**
   * Batches on their way at once.
   */
  readonly max_in_flight?: number;
  /**
   * Maximum time that a write may take.
   */
  readonly timeout?: number;
  /**
   * Maximum size in bytes of a record, and of the records that are collected for one partition.
   */
  readonly max_message_bytes?: string;
  /**
   * Maximum number of records in flight. Further records wait.
   */
  readonly max_buffered_records?: number;
  /**
   * How often topics and partitions are looked at anew.
   */
  readonly metadata_max_age?: number;
  /**
   * How records are compressed.
   */
  readonly compression?: "none" | "snappy" | "lz4" | "gzip" | "zstd";
  readonly batching?: Batching;
  /**
   * Mapping that writes the trace of a message into it; `this` is an object with `traceparent` and perhaps `tracestate`, `root` begins as the message. The metadata `traceparent` goes along in any case.
   */
  readonly inject_tracing_map?: ResultMapFunction;
}
/**
 * Settings of `partitioner: uniform_bytes`.
 */
export interface KafkaUniformBytes {
  /**
   * Bytes to write to a partition before the next one is selected.
   */
  readonly bytes?: string;
  /**
   * Whether faster brokers get more records.
   */
  readonly adaptive?: boolean;
  /**
   * Whether the partition of a record with a key is selected by a hash of the key.
   */
  readonly keys?: boolean;
}
/**
 * Encrypts the connection; the server has to prove who it is.
 */
export interface Tls {
  /**
   * Whether the connection is encrypted as this block says.
   */
  readonly enabled?: boolean;
  /**
   * Accepts any certificate. Others on the network path can then read and change what is sent.
   */
  readonly skip_cert_verify?: boolean;
  /**
   * Lets the server ask for another handshake in an open connection; Node has no such switch.
   */
  readonly enable_renegotiation?: boolean;
  /**
   * Certificates of the authorities to trust, in PEM, in place of the well-known ones.
   */
  readonly root_cas?: string;
  /**
   * File with the certificates of the authorities to trust, in PEM. Read again when it changes.
   */
  readonly root_cas_file?: string;
  /**
   * Certificates that prove to the server who we are, each with its key: both as text or both as files. Files are read again when they change; new connections show what they hold.
   */
  readonly client_certs?: readonly TlsClientCertificate[];
}
/**
 * Metadata that becomes headers of the record. By default, none does.
 */
export interface KafkaMetadataFilter {
  /**
   * Names that begin with one of these pass.
   */
  readonly include_prefixes?: readonly string[];
  /**
   * Regular expressions (RE2). Metadata whose name matches one of them is included.
   */
  readonly include_patterns?: readonly string[];
}
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
}
/**
 * A certificate and its key.
 */
export interface TlsClientCertificate {
  /**
   * The certificate, in PEM.
   */
  readonly cert?: string;
  /**
   * Its key, in PEM.
   */
  readonly key?: string;
  /**
   * File with the certificate, in PEM.
   */
  readonly cert_file?: string;
  /**
   * File with its key, in PEM.
   */
  readonly key_file?: string;
  /**
   * Password of the key, where it is encrypted.
   */
  readonly password?: string;
}
/**
 * One method.
 */
export interface KafkaSaslMethod {
  /**
   * How we prove to the brokers who we are.
   */
  readonly mechanism: "none" | "PLAIN" | "OAUTHBEARER" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "AWS_MSK_IAM";
  /**
   * Name of the user, of `PLAIN` and `SCRAM`.
   */
  readonly username?: string;
  /**
   * Password of the user, of `PLAIN` and `SCRAM`.
   */
  readonly password?: string;
  /**
   * Token of `OAUTHBEARER`.
   */
  readonly token?: string;
  readonly oauth2?: KafkaOAuth2;
  /**
   * Who signs the tokens of `AWS_MSK_IAM`.
   */
  readonly aws?: TokenMaker | undefined;
  /**
   * Further fields that go with the token of `OAUTHBEARER`.
   */
  readonly extensions?: Readonly<Record<string, string>>;
}
/**
 * Fetches the token of `OAUTHBEARER` by the credentials of a client, and anew before it ends.
 */
export interface KafkaOAuth2 {
  /**
   * Whether the token is fetched.
   */
  readonly enabled?: boolean;
  /**
   * Name of the client.
   */
  readonly client_key?: string;
  /**
   * Secret of the client.
   */
  readonly client_secret?: string;
  /**
   * Address that gives tokens.
   */
  readonly token_url?: string;
  /**
   * What the token is asked for.
   */
  readonly scopes?: readonly string[];
  /**
   * Further fields of the request.
   */
  readonly endpoint_params?: Readonly<Record<string, readonly string[]>>;
  /**
   * Further fields that go with the token.
   */
  readonly extensions?: Readonly<Record<string, string>>;
}

/** What the fields hold that a document leaves out. */
export const kafkaFranzOutputDefaults = {
  key: "",
  uniform_bytes_options: {
    bytes: "1MB",
    adaptive: false,
    keys: false
  },
  partition: "",
  client_id: "sluice",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  sasl: [],
  idempotent_write: true,
  metadata: {
    include_prefixes: [],
    include_patterns: []
  },
  max_in_flight: 1024,
  timeout: 10000,
  max_message_bytes: "1MB",
  max_buffered_records: 10000,
  metadata_max_age: 300000,
  compression: "none",
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaFranzOutputOptions>;
