// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../component/component.ts";
import type { Cache } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";
import type { TokenMaker } from "../../../connectors/kafka/msk-token.ts";
import type { QueryFunction, ResultMapFunction } from "../../../processors/functions.ts";

/**
 * Writes each message as a record to a Kafka topic.
 */
export interface KafkaOutputOptions {
  /**
   * Bootstrap brokers, as `host:port`.
   */
  readonly addresses: readonly string[];
  readonly tls?: Tls;
  readonly sasl?: KafkaSasl;
  /**
   * Topic to write to.
   */
  readonly topic: Text;
  /**
   * Client id that is sent to the brokers.
   */
  readonly client_id?: string;
  /**
   * Key of the record. Records with the same key stay in order.
   */
  readonly key?: Text;
  /**
   * How the partition of a record is selected: by a hash of its key (any partition for records without a key), at random, in turn, or by `partition`.
   */
  readonly partitioner?: "fnv1a_hash" | "murmur2_hash" | "random" | "round_robin" | "manual";
  /**
   * Partition number, for `partitioner: manual`.
   */
  readonly partition?: Text;
  readonly custom_topic_creation?: KafkaTopicCreation;
  /**
   * Compression of records.
   */
  readonly compression?: "none" | "snappy" | "lz4" | "gzip" | "zstd";
  /**
   * Headers of every record. They take precedence over metadata of the same name.
   */
  readonly static_headers?: Readonly<Record<string, string>>;
  readonly metadata?: KafkaMetadataFilter;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  /**
   * Enables the idempotent producer: the brokers recognise retried requests and do not write a record twice.
   */
  readonly idempotent_write?: boolean;
  /**
   * Whether a record counts as written only when all in-sync replicas have it. Otherwise a record can be lost if the leader fails.
   */
  readonly ack_replicas?: boolean;
  /**
   * Maximum size in bytes of a record, and of the records that are collected for one partition.
   */
  readonly max_msg_bytes?: number;
  /**
   * Maximum time that a write may take.
   */
  readonly timeout?: number;
  /**
   * Whether all messages of a batch are written again if one of them fails. Batches are then written one after the other.
   */
  readonly retry_as_batch?: boolean;
  /**
   * Maximum number of retries after a failed write; 0 means no limit.
   */
  readonly max_retries?: number;
  readonly backoff?: KafkaOutputBackoff;
  readonly batching?: Batching;
  /**
   * Mapping that writes the trace into the message. `this` is an object with `traceparent` and optionally `tracestate`; `root` is initially the message. The metadata `traceparent` is sent in any case.
   */
  readonly inject_tracing_map?: ResultMapFunction;
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
 * Authenticates the gateway to the brokers with SASL.
 */
export interface KafkaSasl {
  /**
   * SASL mechanism.
   */
  readonly mechanism?: "none" | "PLAIN" | "OAUTHBEARER" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "AWS_MSK_IAM";
  /**
   * User name, for `PLAIN` and `SCRAM`.
   */
  readonly user?: string;
  /**
   * Password, for `PLAIN` and `SCRAM`.
   */
  readonly password?: string;
  /**
   * Static token, for `OAUTHBEARER`.
   */
  readonly access_token?: string;
  /**
   * Label of a cache that contains the token for `OAUTHBEARER`.
   */
  readonly token_cache?: Cache;
  /**
   * Key of the token in that cache.
   */
  readonly token_key?: string;
  /**
   * AWS credentials that sign the tokens of `AWS_MSK_IAM`.
   */
  readonly aws?: TokenMaker | undefined;
  readonly oauth2?: KafkaOAuth2;
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
/**
 * Creates topics that do not exist.
 */
export interface KafkaTopicCreation {
  /**
   * Whether topics that do not exist are created.
   */
  readonly enabled?: boolean;
  /**
   * Number of partitions of a new topic; -1 uses the default of the broker.
   */
  readonly partitions?: number;
  /**
   * Number of replicas of each partition; -1 uses the default of the broker.
   */
  readonly replication_factor?: number;
}
/**
 * Metadata that does not become headers of the record. All other metadata does.
 */
export interface KafkaMetadataFilter {
  /**
   * Prefixes of names to exclude.
   */
  readonly exclude_prefixes?: readonly string[];
}
/**
 * Pauses between attempts.
 */
export interface KafkaOutputBackoff {
  /**
   * First pause.
   */
  readonly initial_interval?: number;
  /**
   * Longest pause.
   */
  readonly max_interval?: number;
  /**
   * Time after which a record is no longer retried; `0s` means no limit.
   */
  readonly max_elapsed_time?: number;
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

/** What the fields hold that a document leaves out. */
export const kafkaOutputDefaults = {
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  sasl: {
    mechanism: "none",
    user: "",
    password: "",
    access_token: "",
    token_key: "",
    oauth2: {
      enabled: false,
      client_key: "",
      client_secret: "",
      token_url: "",
      scopes: []
    }
  },
  client_id: "sluice",
  key: "",
  partitioner: "fnv1a_hash",
  partition: "",
  custom_topic_creation: {
    enabled: false,
    partitions: -1,
    replication_factor: -1
  },
  compression: "none",
  metadata: {
    exclude_prefixes: []
  },
  max_in_flight: 1024,
  idempotent_write: false,
  ack_replicas: true,
  max_msg_bytes: 1000000,
  timeout: 5000,
  retry_as_batch: false,
  max_retries: 0,
  backoff: {
    initial_interval: 3000,
    max_interval: 10000,
    max_elapsed_time: 30000
  },
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaOutputOptions>;
