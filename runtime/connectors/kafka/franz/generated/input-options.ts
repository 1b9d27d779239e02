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
   * Brokers to contact first, as `host:port`.
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
   * Proves to the brokers who we are, by one method.
   */
  readonly sasl?: readonly KafkaSaslMethod[];
  /**
   * Consumer group that shares the partitions and stores the offsets. Without one, every start reads again from the position that `start_from_oldest` sets.
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
  /**
   * Where to begin when there is no stored offset: with the oldest record, or with those that come from now on.
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
   * How often topics and partitions are looked at anew.
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
   * Whether each header becomes a list of all its values, in place of its last value.
   */
  readonly multi_header?: boolean;
  /**
   * Whether records of transactions are read before they are committed, and when they were aborted.
   */
  readonly transaction_isolation_level?: "read_uncommitted" | "read_committed";
  /**
   * Label of a rate limit that applies to every message.
   */
  readonly rate_limit?: RateLimit;
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
