// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Credentials } from "../../requests/request.ts";

/**
 * Reads messages that begin with the number of a schema in a registry, as Confluent's serializers write them: Avro, or JSON that is validated against its schema.
 */
export interface SchemaRegistryDecodeOptions {
  /**
   * Address of the registry.
   */
  readonly url: string;
  /**
   * Whether documents of Avro are plain JSON; otherwise values of unions are objects whose key names the type.
   */
  readonly avro_raw_json?: boolean;
  /**
   * Whether characters that Avro forbids are taken out of the names of namespaces.
   */
  readonly sanitize_namespace_names?: boolean;
  /**
   * Signs each request by OAuth 1.0a, with HMAC-SHA1.
   */
  readonly oauth?: Credentials | undefined;
  /**
   * Sends a user and password with each request.
   */
  readonly basic_auth?: Credentials | undefined;
  /**
   * Sends a token with each request that is signed by a key of ours.
   */
  readonly jwt?: Credentials | undefined;
  readonly tls?: Tls;
  readonly transport?: Transport;
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
 * How connections are made and kept.
 */
export interface Transport {
  readonly dial_context?: DialContext;
  /**
   * Most connections to one server that are kept for further requests; 0 for any number.
   */
  readonly max_idle_connections?: number;
  /**
   * Time after which a connection is closed that no request used; `0s` for never.
   */
  readonly idle_connection_timeout?: number;
  /**
   * Longest time of a TLS handshake; `0s` for any.
   */
  readonly tls_handshake_timeout?: number;
  /**
   * How long a request with the header `Expect: 100-continue` waits to be told to go on before its body is sent all the same.
   */
  readonly expect_continue_timeout?: number;
}
/**
 * How connections are opened.
 */
export interface DialContext {
  /**
   * Longest time until a connection is open; `0s` for any.
   */
  readonly timeout?: number;
  /**
   * Pause before a silent connection is probed; `0s` leaves it to the system.
   */
  readonly keep_alive?: number;
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
export const schemaRegistryDecodeDefaults = {
  avro_raw_json: false,
  sanitize_namespace_names: false,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  transport: {
    dial_context: {
      timeout: 30000,
      keep_alive: 30000
    },
    max_idle_connections: 100,
    idle_connection_timeout: 90000,
    tls_handshake_timeout: 10000,
    expect_continue_timeout: 1000
  }
} as const satisfies Partial<SchemaRegistryDecodeOptions>;
