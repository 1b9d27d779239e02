// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Credentials } from "../../requests/request.ts";

/**
 * Decodes messages that begin with the id of a schema in a registry, as Confluent's serializers write them: Avro, or JSON that is validated against its schema.
 */
export interface SchemaRegistryDecodeOptions {
  /**
   * URL of the schema registry.
   */
  readonly url: string;
  /**
   * Whether Avro documents are plain JSON. Otherwise union values are objects whose key is the name of the type.
   */
  readonly avro_raw_json?: boolean;
  /**
   * Removes characters that Avro does not allow from namespace names.
   */
  readonly sanitize_namespace_names?: boolean;
  /**
   * Signs each request with OAuth 1.0a and HMAC-SHA1.
   */
  readonly oauth?: Credentials | undefined;
  /**
   * Sends a user name and password with each request.
   */
  readonly basic_auth?: Credentials | undefined;
  /**
   * Sends a JWT with each request, signed with a private key of the gateway.
   */
  readonly jwt?: Credentials | undefined;
  readonly tls?: Tls;
  readonly transport?: Transport;
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
 * Options for opening and keeping connections.
 */
export interface Transport {
  readonly dial_context?: DialContext;
  /**
   * Maximum number of idle connections to one server that are kept for further requests; 0 for no limit.
   */
  readonly max_idle_connections?: number;
  /**
   * Time after which an unused connection is closed; `0s` for never.
   */
  readonly idle_connection_timeout?: number;
  /**
   * Timeout of the TLS handshake; `0s` for no limit.
   */
  readonly tls_handshake_timeout?: number;
  /**
   * Time that a request with the header `Expect: 100-continue` waits for permission to continue. After it, the body is sent anyway.
   */
  readonly expect_continue_timeout?: number;
}
/**
 * Options for opening connections.
 */
export interface DialContext {
  /**
   * Timeout for opening a connection; `0s` for no limit.
   */
  readonly timeout?: number;
  /**
   * Idle time before a keep-alive probe is sent; `0s` for the setting of the operating system.
   */
  readonly keep_alive?: number;
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
