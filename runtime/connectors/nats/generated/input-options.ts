// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../processors/functions.ts";

/**
 * Reads messages of a NATS subject. Core NATS does not store messages: those published while nothing is subscribed are lost.
 */
export interface NatsInputOptions {
  /**
   * Addresses of the servers. A user and password, or a token, may stand in them; `tls://` encrypts.
   */
  readonly urls: readonly string[];
  /**
   * Subject to subscribe to; `*` matches one token, `>` all tokens that follow.
   */
  readonly subject: string;
  /**
   * Whether values of requests in `subject` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Queue group whose members share the messages. Without one, each subscriber gets all messages.
   */
  readonly queue?: string;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Time that a requester should wait before it sends a rejected message again.
   */
  readonly nak_delay?: number;
  /**
   * Whether a requester gets `+ACK` when the stream sends no reply.
   */
  readonly send_ack?: boolean;
  /**
   * Maximum number of messages that wait to be processed, 64 MiB at most. NATS does not wait: beyond this limit, new messages are dropped.
   */
  readonly prefetch_count?: number;
  readonly tls?: Tls;
  readonly auth?: NatsAuth;
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
 * Proves who we are by a key; a user and password or a token stand in the address.
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
   * JWT of a user, with `user_nkey_seed`.
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
export const natsInputDefaults = {
  allow_wildcards: false,
  queue: "",
  auto_replay_nacks: true,
  send_ack: true,
  prefetch_count: 500000,
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
} as const satisfies Partial<NatsInputOptions>;
