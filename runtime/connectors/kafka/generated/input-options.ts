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
   * Brokers to contact first, as `host:port`.
   */
  readonly addresses: readonly string[];
  /**
   * Topics to read. A topic may be followed by one of its partitions or a range of them.
   */
  readonly topics: readonly string[];
  readonly tls?: Tls;
  readonly sasl?: KafkaSasl;
  /**
   * Consumer group that shares the partitions and stores the offsets. If `topics` names partitions, this input reads only those, and the group only stores their offsets. Without a group, every start reads again from the position that `start_from_oldest` sets.
   */
  readonly consumer_group?: string;
  /**
   * Name shown to the brokers.
   */
  readonly client_id?: string;
  /**
   * Rack of the gateway; records are read from the closest replica.
   */
  readonly rack_id?: string;
  /**
   * Where to begin when there is no stored offset: with the oldest record, or with those that come from now on.
   */
  readonly start_from_oldest?: boolean;
  /**
   * Records of one partition under way at once, counted from the oldest that is not confirmed; 1 gives strict order.
   */
  readonly checkpoint_limit?: number;
  /**
   * Whether a message that cannot be delivered is tried again and again. Turned off, it is given up at once: it goes to the dead-letter output, or is lost.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Pause between commits of offsets.
   */
  readonly commit_period?: number;
  readonly group?: KafkaGroup;
  /**
   * Maximum number of records of a partition that wait to be processed. Beyond it, no more are fetched.
   */
  readonly fetch_buffer_cap?: number;
  /**
   * Whether each header becomes a list of all its values, in place of its last value.
   */
  readonly multi_header?: boolean;
  /**
   * Whether records of transactions are read before they are committed, and when they were aborted.
   */
  readonly transaction_isolation_level?: "read_uncommitted" | "read_committed";
  /**
   * Whether all messages of the client library are logged.
   */
  readonly debug?: boolean;
  readonly batching?: Batching;
  /**
   * Mapping that makes an object with the trace of a message: `traceparent` and perhaps `tracestate`. A message of which it makes none begins a trace of its own. Without the field, the metadata `traceparent` names the trace.
   */
  readonly extract_tracing_map?: MappingFunction;
  /**
   * Whether each message begins a trace of its own, with a link to the one that it came with.
   */
  readonly new_root_span_with_link?: boolean;
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
