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
   * Bootstrap brokers, as `host:port`.
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
   * Partition number, for `partitioner: manual`.
   */
  readonly partition?: Text;
  /**
   * Client id that is sent to the brokers.
   */
  readonly client_id?: string;
  readonly tls?: Tls;
  /**
   * Authenticates the gateway to the brokers, with one SASL method.
   */
  readonly sasl?: readonly KafkaSaslMethod[];
  /**
   * Enables the idempotent producer: the brokers recognise retried requests and do not write a record twice.
   */
  readonly idempotent_write?: boolean;
  readonly metadata?: KafkaMetadataFilter;
  /**
   * Maximum number of batches in flight.
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
   * Interval at which the metadata of topics and partitions is refreshed.
   */
  readonly metadata_max_age?: number;
  /**
   * Compression of records.
   */
  readonly compression?: "none" | "snappy" | "lz4" | "gzip" | "zstd";
  readonly batching?: Batching;
  /**
   * Mapping that writes the trace into the message. `this` is an object with `traceparent` and optionally `tracestate`; `root` is initially the message. The metadata `traceparent` is sent in any case.
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
 * Encrypts the connection with TLS and verifies the certificate of the server.
 */
export interface Tls {
  /**
   * Enables TLS with the options of this block.
   */
  readonly enabled?: boolean;
  /**
   * Accepts any server certificate. Others on the network path can then read and change the traffic.
   */
  readonly skip_cert_verify?: boolean;
  /**
   * Allows the server to request TLS renegotiation. Node.js has no such option.
   */
  readonly enable_renegotiation?: boolean;
  /**
   * Certificates of the trusted certificate authorities, in PEM format. They replace the well-known authorities.
   */
  readonly root_cas?: string;
  /**
   * File with the certificates of the trusted certificate authorities, in PEM format. It is read again when it changes.
   */
  readonly root_cas_file?: string;
  /**
   * Client certificates that are presented to the server, each with its key: both as text or both as files. Files are read again when they change, and new connections use the new content.
   */
  readonly client_certs?: readonly TlsClientCertificate[];
}
/**
 * Metadata that becomes headers of the record. By default, none does.
 */
export interface KafkaMetadataFilter {
  /**
   * Includes names that begin with one of these prefixes.
   */
  readonly include_prefixes?: readonly string[];
  /**
   * Regular expressions (RE2). Metadata whose name matches one of them is included.
   */
  readonly include_patterns?: readonly string[];
}
/**
 * Collects messages into larger batches. A message is acknowledged when its batch is acknowledged.
 */
export interface Batching {
  /**
   * Number of messages that completes a batch; 0 for no limit.
   */
  readonly count?: number;
  /**
   * Content size in bytes that completes a batch; 0 for no limit.
   */
  readonly byte_size?: number;
  /**
   * Time after its first message at which a batch is complete; empty for no limit.
   */
  readonly period?: number;
  /**
   * Maximum fraction of `period` that is randomly added to it.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * Processors that run on complete batches.
   */
  readonly processors?: readonly Processor[];
}
/**
 * A certificate and its key.
 */
export interface TlsClientCertificate {
  /**
   * Certificate, in PEM format.
   */
  readonly cert?: string;
  /**
   * Private key, in PEM format.
   */
  readonly key?: string;
  /**
   * File with the certificate, in PEM format.
   */
  readonly cert_file?: string;
  /**
   * File with the private key, in PEM format.
   */
  readonly key_file?: string;
  /**
   * Password of the private key, if the key is encrypted.
   */
  readonly password?: string;
}
/**
 * A SASL method.
 */
export interface KafkaSaslMethod {
  /**
   * SASL mechanism.
   */
  readonly mechanism: "none" | "PLAIN" | "OAUTHBEARER" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "AWS_MSK_IAM";
  /**
   * User name, for `PLAIN` and `SCRAM`.
   */
  readonly username?: string;
  /**
   * Password, for `PLAIN` and `SCRAM`.
   */
  readonly password?: string;
  /**
   * Token, for `OAUTHBEARER`.
   */
  readonly token?: string;
  readonly oauth2?: KafkaOAuth2;
  /**
   * AWS credentials that sign the tokens of `AWS_MSK_IAM`.
   */
  readonly aws?: TokenMaker | undefined;
  /**
   * SASL extensions that are sent with the token, for `OAUTHBEARER`.
   */
  readonly extensions?: Readonly<Record<string, string>>;
}
/**
 * Obtains the token for `OAUTHBEARER` with client credentials, and again before it expires.
 */
export interface KafkaOAuth2 {
  /**
   * Enables obtaining the token.
   */
  readonly enabled?: boolean;
  /**
   * Client id.
   */
  readonly client_key?: string;
  /**
   * Client secret.
   */
  readonly client_secret?: string;
  /**
   * URL of the token endpoint.
   */
  readonly token_url?: string;
  /**
   * Requested scopes.
   */
  readonly scopes?: readonly string[];
  /**
   * Additional parameters of the token request.
   */
  readonly endpoint_params?: Readonly<Record<string, readonly string[]>>;
  /**
   * SASL extensions that are sent with the token.
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
