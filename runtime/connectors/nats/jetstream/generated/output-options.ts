// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../../component/text.ts";
import type { ResultMapFunction } from "../../../../processors/functions.ts";

/**
 * Publishes each message to a subject of a NATS JetStream stream and waits until the stream has stored it.
 */
export interface NatsJetstreamOutputOptions {
  /**
   * Addresses of the servers. A user and password, or a token, may stand in them; `tls://` encrypts.
   */
  readonly urls: readonly string[];
  /**
   * Subject to publish to. It must belong to a stream.
   */
  readonly subject: Text;
  /**
   * Headers of the published message. The stream does not store a message again if it has recently seen its `Nats-Msg-Id`. With an identifier from the source, such as `${! meta("nats_sequence_stream") }`, a message that is delivered twice is stored once.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  readonly metadata?: MetadataFilter;
  /**
   * Batches on their way at once.
   */
  readonly max_in_flight?: number;
  readonly tls?: Tls;
  readonly auth?: NatsAuth;
  /**
   * Mapping that writes the trace of a message into it; `this` is an object with `traceparent` and perhaps `tracestate`, `root` begins as the message. The metadata `traceparent` goes along in any case.
   */
  readonly inject_tracing_map?: ResultMapFunction;
}
/**
 * Metadata that travels as headers of the same name; `headers` win.
 */
export interface MetadataFilter {
  /**
   * Names that begin with one of these pass.
   */
  readonly include_prefixes?: readonly string[];
  /**
   * Names in which one of these regular expressions of RE2 is found pass.
   */
  readonly include_patterns?: readonly string[];
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
export const natsJetstreamOutputDefaults = {
  metadata: {
    include_prefixes: [],
    include_patterns: []
  },
  max_in_flight: 1024,
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
} as const satisfies Partial<NatsJetstreamOutputOptions>;
