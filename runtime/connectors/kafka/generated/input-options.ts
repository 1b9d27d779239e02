// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../component/component.ts";
import type { Cache } from "../../../component/resource.ts";
import type { TokenMaker } from "../../../connectors/kafka/msk-token.ts";
import type { MappingFunction, QueryFunction } from "../../../processors/functions.ts";

/**
 * Reads records of Kafka topics. Offsets are committed once the output has confirmed the records.
 */
export interface KafkaInputOptions {
  /**
   * Bootstrap brokers, as `host:port`.
   */
  readonly addresses: readonly string[];
  /**
   * Topics to read from. A topic may be followed by one of its partitions or a range of partitions.
   */
  readonly topics: readonly string[];
  readonly tls?: Tls;
  readonly sasl?: KafkaSasl;
  /**
   * Consumer group that shares the partitions and stores the offsets. If `topics` names partitions, this input reads only those, and the group only stores their offsets. Without a group, every start reads again from the position that `start_from_oldest` sets.
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
   * Where to start if there is no committed offset: at the oldest record, or at records that arrive from now on.
   */
  readonly start_from_oldest?: boolean;
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
  readonly group?: KafkaGroup;
  /**
   * Maximum number of records of a partition that wait to be processed. Beyond it, no more are fetched.
   */
  readonly fetch_buffer_cap?: number;
  /**
   * Stores each header as a list of all its values instead of its last value.
   */
  readonly multi_header?: boolean;
  /**
   * Whether records of uncommitted and aborted transactions are read.
   */
  readonly transaction_isolation_level?: "read_uncommitted" | "read_committed";
  /**
   * Whether all messages of the client library are logged.
   */
  readonly debug?: boolean;
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
 * Membership in the consumer group.
 */
export interface KafkaGroup {
  /**
   * Time without a heartbeat after which the group removes this member.
   */
  readonly session_timeout?: number;
  /**
   * Interval between heartbeats, at most 500 ms. A member learns from them that another member joins or leaves.
   */
  readonly heartbeat_interval?: number;
  /**
   * Maximum time that the group waits for its members in a rebalance.
   */
  readonly rebalance_timeout?: number;
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
export const kafkaInputDefaults = {
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
  consumer_group: "",
  client_id: "sluice",
  rack_id: "",
  start_from_oldest: true,
  checkpoint_limit: 1024,
  auto_replay_nacks: true,
  commit_period: 1000,
  group: {
    session_timeout: 10000,
    heartbeat_interval: 500,
    rebalance_timeout: 60000
  },
  fetch_buffer_cap: 256,
  multi_header: false,
  transaction_isolation_level: "read_uncommitted",
  debug: false,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaInputOptions>;
