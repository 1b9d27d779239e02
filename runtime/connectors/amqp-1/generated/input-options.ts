// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads an address of an AMQP 1.0 broker.
 */
export interface Amqp1InputOptions {
  /**
   * URLs of the broker. If one fails, the next one is tried. A URL may contain a user and password; `amqps://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Address to read from, as the broker names it.
   */
  readonly source_address: string;
  /**
   * Whether values of requests in `source_address` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Renews the locks that Azure Service Bus puts on messages.
   */
  readonly azure_renew_lock?: boolean;
  /**
   * Whether the header of a message becomes metadata as well: `amqp_durable`, `amqp_priority`, `amqp_ttl`, `amqp_first_acquirer`, `amqp_delivery_count`.
   */
  readonly read_header?: boolean;
  /**
   * Maximum number of unacknowledged messages, after which the broker waits.
   */
  readonly credit?: number;
  readonly tls?: Tls;
  readonly sasl?: AmqpSasl;
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
export const amqp1InputDefaults = {
  allow_wildcards: false,
  azure_renew_lock: false,
  read_header: false,
  credit: 64,
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
  }
} as const satisfies Partial<Amqp1InputOptions>;
