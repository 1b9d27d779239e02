// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../../processors/functions.ts";

/**
 * Reads messages of a NATS JetStream stream and acknowledges each once it is delivered.
 */
export interface NatsJetstreamInputOptions {
  /**
   * URLs of the servers. A URL may contain a user and password, or a token; `tls://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Subject to read from; `*` matches one token, `>` all tokens that follow. Determines the stream if `stream` is not set.
   */
  readonly subject?: string;
  /**
   * Whether values of requests in `subject` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Stream to read from.
   */
  readonly stream?: string;
  /**
   * Name of the durable consumer, for which the server stores what was acknowledged. Readers with the same name share the messages.
   */
  readonly durable?: string;
  /**
   * Queue group whose members share the messages. It is the name of the durable consumer if `durable` is not set.
   */
  readonly queue?: string;
  /**
   * Uses the existing consumer `durable` of `stream` and does not create one.
   */
  readonly bind?: boolean;
  /**
   * Messages that a new consumer starts with: all messages, the last one, the last one of each subject, or only new ones.
   */
  readonly deliver?: "all" | "last" | "last_per_subject" | "new";
  /**
   * Time without an acknowledgement after which the server delivers a message again. If a delivery takes longer, the gateway reports progress to the server in time.
   */
  readonly ack_wait?: number;
  /**
   * Maximum number of unacknowledged messages of all readers of the consumer together. With 1, messages are delivered strictly in order.
   */
  readonly max_ack_pending?: number;
  readonly tls?: Tls;
  readonly auth?: NatsAuth;
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
 * Authenticates the gateway with a key. A user and password or a token are part of the URL instead.
 */
export interface NatsAuth {
  /**
   * File with the seed of an NKey.
   */
  readonly nkey_file?: string;
  /**
   * File with the JWT of a user and its seed.
   */
  readonly user_credentials_file?: string;
  /**
   * JWT of a user. Requires `user_nkey_seed`.
   */
  readonly user_jwt?: string;
  /**
   * Seed of the NKey that `user_jwt` names.
   */
  readonly user_nkey_seed?: string;
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
export const natsJetstreamInputDefaults = {
  allow_wildcards: false,
  bind: false,
  deliver: "all",
  ack_wait: 30000,
  max_ack_pending: 1024,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  auth: {
    nkey_file: "",
    user_credentials_file: "",
    user_jwt: "",
    user_nkey_seed: ""
  }
} as const satisfies Partial<NatsJetstreamInputOptions>;
