// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads an address of an AMQP 1.0 broker.
 */
export interface Amqp1InputOptions {
  /**
   * Addresses of the broker; the next one is tried when one fails. A user and password may stand in them; `amqps://` encrypts.
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
 * Proves who we are, where no user stands in the address.
 */
export interface AmqpSasl {
  /**
   * How: not at all, by a user and password, or without a name.
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
