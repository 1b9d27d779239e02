// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { RateLimit } from "../../../../component/resource.ts";
import type { TokenMaker } from "../../../../connectors/kafka/msk-token.ts";
import type { MappingFunction, QueryFunction } from "../../../../processors/functions.ts";

/**
 * Reads records of Kafka topics, with the fields of `kafka_franz`. It uses the same client as `kafka`.
 */
export interface KafkaFranzInputOptions {
  /**
   * Bootstrap brokers, as `host:port`.
   */
  readonly seed_brokers: readonly string[];
  /**
   * Topics to read from. Without a consumer group, a topic can be followed by a partition or a range of partitions, and these by the offset to start from. With `regexp_topics`, each topic is a pattern.
   */
  readonly topics: readonly string[];
  /**
   * Whether values of requests in `topics` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Whether `topics` are regular expressions (RE2). Topics that are created later are found after `metadata_max_age`.
   */
  readonly regexp_topics?: boolean;
  readonly tls?: Tls;
  /**
   * Authenticates the gateway to the brokers, with one SASL method.
   */
  readonly sasl?: readonly KafkaSaslMethod[];
  /**
   * Consumer group that shares the partitions and stores the offsets. Without one, every start reads again from the position that `start_from_oldest` sets.
   */
  readonly consumer_group?: string;
  /**
   * Client id that is sent to the brokers.
   */
  readonly client_id?: string;
  /**
   * Rack of the gateway; records are read from the closest replica.
   */
  readonly rack_id?: string;
  /**
   * Maximum number of records of one partition in flight, counted from the oldest unacknowledged record; 1 for strict ordering.
   */
  readonly checkpoint_limit?: number;
  /**
   * Retries a message that cannot be delivered until it succeeds. If `false`, the message is given up immediately: it goes to the dead-letter output, or is lost.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Interval between offset commits.
   */
  readonly commit_period?: number;
  /**
   * Where to start if there is no committed offset: at the oldest record, or at records that arrive from now on.
   */
  readonly start_from_oldest?: boolean;
  /**
   * Position to start from if there is no stored offset. Takes precedence over `start_from_oldest`.
   */
  readonly auto_offset_reset?: "earliest" | "latest" | "none";
  /**
   * Partition assignors that this member supports, in order of preference. The group uses one that all its members support. With `sticky`, members keep their partitions as far as the balance allows; `range` and `round_robin` are those of Java and librdkafka.
   */
  readonly group_balancers?: readonly ("cooperative_sticky" | "sticky" | "range" | "round_robin")[];
  /**
   * Interval at which the metadata of topics and partitions is refreshed.
   */
  readonly metadata_max_age?: number;
  /**
   * Maximum size of a fetch response in bytes.
   */
  readonly fetch_max_bytes?: string;
  /**
   * Maximum size of one partition in a fetch response, in bytes.
   */
  readonly fetch_max_partition_bytes?: string;
  /**
   * Maximum time that a broker waits for records before it returns an empty response; at most 250 ms. A partition that was full is read again after at most this time.
   */
  readonly fetch_max_wait?: number;
  /**
   * Lag from which a partition is fetched before others. Only 0 is supported: partitions take turns.
   */
  readonly preferring_lag?: number;
  /**
   * Stores each header as a list of all its values instead of its last value.
   */
  readonly multi_header?: boolean;
  /**
   * Whether records of uncommitted and aborted transactions are read.
   */
  readonly transaction_isolation_level?: "read_uncommitted" | "read_committed";
  /**
   * Label of a rate limit that applies to every message.
   */
  readonly rate_limit?: RateLimit;
  readonly batching?: Batching;
  /**
   * Mapping that returns an object with the trace of a message: `traceparent` and optionally `tracestate`. A message for which it returns none starts a new trace. If the field is omitted, the metadata `traceparent` identifies the trace.
   */
  readonly extract_tracing_map?: MappingFunction;
  /**
   * Starts a new trace for each message, with a link to the trace that it arrived with.
   */
  readonly new_root_span_with_link?: boolean;
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
export const kafkaFranzInputDefaults = {
  allow_wildcards: false,
  regexp_topics: false,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  sasl: [],
  consumer_group: "",
  client_id: "sluice",
  rack_id: "",
  checkpoint_limit: 1024,
  auto_replay_nacks: true,
  commit_period: 5000,
  start_from_oldest: true,
  group_balancers: [
    "sticky",
    "range",
    "round_robin"
  ],
  metadata_max_age: 300000,
  fetch_max_bytes: "50MiB",
  fetch_max_partition_bytes: "1MiB",
  fetch_max_wait: 100,
  preferring_lag: 0,
  multi_header: false,
  transaction_isolation_level: "read_uncommitted",
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaFranzInputOptions>;
