// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../processors/functions.ts";

/**
 * Sends each message to an address of an AMQP 1.0 broker.
 */
export interface Amqp1OutputOptions {
  /**
   * URLs of the broker. If one fails, the next one is tried. A URL may contain a user and password; `amqps://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Address to send to, as the broker names it. Older brokers, such as RabbitMQ 3.10, confirm messages that they route to no queue, and lose them; a queue of the type stream is missing for a moment after a start.
   */
  readonly target_address: string;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  readonly tls?: Tls;
  /**
   * Mapping that returns the application properties, an object of strings, numbers and booleans.
   */
  readonly application_properties_map?: MappingFunction;
  readonly sasl?: AmqpSasl;
  readonly metadata?: AmqpMetadataFilter;
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
 * Authenticates the gateway if the URL contains no user.
 */
export interface AmqpSasl {
  /**
   * SASL mechanism: none, user and password, or anonymous.
   */
  readonly mechanism?: "none" | "plain" | "anonymous";
  /**
   * User name.
   */
  readonly user?: string;
  /**
   * Password.
   */
  readonly password?: string;
}
/**
 * Metadata that is not sent with a message. All other metadata is sent, except transport properties that a broker set.
 */
export interface AmqpMetadataFilter {
  /**
   * Excludes names that begin with one of these prefixes.
   */
  readonly exclude_prefixes?: readonly string[];
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
export const amqp1OutputDefaults = {
  max_in_flight: 64,
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
    password: ""
  },
  metadata: {
    exclude_prefixes: []
  }
} as const satisfies Partial<Amqp1OutputOptions>;
