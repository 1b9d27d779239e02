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
   * Brokers to contact first, as `host:port`.
   */
  readonly addresses: readonly string[];
  readonly tls?: Tls;
  readonly sasl?: KafkaSasl;
  /**
   * Topic to write to.
   */
  readonly topic: Text;
  /**
   * Name shown to the brokers.
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
   * Number of the partition, with `partitioner: manual`.
   */
  readonly partition?: Text;
  readonly custom_topic_creation?: KafkaTopicCreation;
  /**
   * How records are compressed.
   */
  readonly compression?: "none" | "snappy" | "lz4" | "gzip" | "zstd";
  /**
   * Headers of every record. They take precedence over metadata of the same name.
   */
  readonly static_headers?: Readonly<Record<string, string>>;
  readonly metadata?: KafkaMetadataFilter;
  /**
   * Batches on their way at once.
   */
  readonly max_in_flight?: number;
  /**
   * Whether the brokers recognise repeated requests, so that a record is not written twice by them.
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
   * Mapping that writes the trace of a message into it; `this` is an object with `traceparent` and perhaps `tracestate`, `root` begins as the message. The metadata `traceparent` goes along in any case.
   */
  readonly inject_tracing_map?: ResultMapFunction;
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
 * Proves to the brokers who we are.
 */
export interface KafkaSasl {
  /**
   * How we prove to the brokers who we are.
   */
  readonly mechanism?: "none" | "PLAIN" | "OAUTHBEARER" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "AWS_MSK_IAM";
  /**
   * Name of the user, of `PLAIN` and `SCRAM`.
   */
  readonly user?: string;
  /**
   * Password of the user, of `PLAIN` and `SCRAM`.
   */
  readonly password?: string;
  /**
   * Token of `OAUTHBEARER` that stays the same.
   */
  readonly access_token?: string;
  /**
   * Label of a cache that holds the token of `OAUTHBEARER`.
   */
  readonly token_cache?: Cache;
  /**
   * Under which key that cache holds the token.
   */
  readonly token_key?: string;
  /**
   * Who signs the tokens of `AWS_MSK_IAM`.
   */
  readonly aws?: TokenMaker | undefined;
  readonly oauth2?: KafkaOAuth2;
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
