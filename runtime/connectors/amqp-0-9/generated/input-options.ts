// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads a queue of an AMQP 0.9.1 broker, such as RabbitMQ.
 */
export interface Amqp09InputOptions {
  /**
   * Addresses of the broker. If one fails, the next one is tried. An address can contain a user and password (`guest` otherwise) and the virtual host as its path; `amqps://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Queue to read from.
   */
  readonly queue: string;
  readonly queue_declare?: Amqp09QueueDeclare;
  /**
   * Bindings of the queue that are created if they do not exist.
   */
  readonly bindings_declare?: readonly Amqp09Binding[];
  /**
   * Whether values of requests in `bindings_declare` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Name of the consumer as the broker shows it; the broker generates one if none is set. With several workers, all but the first append their number to it.
   */
  readonly consumer_tag?: string;
  /**
   * Acknowledges messages on receipt, before they are delivered. A crash loses the messages in flight.
   */
  readonly auto_ack?: boolean;
  /**
   * Regular expressions (RE2). A message whose error text matches one of them is not retried: it goes to the dead-letter exchange of the queue, or is lost if there is none.
   */
  readonly nack_reject_patterns?: readonly string[];
  /**
   * Maximum number of unacknowledged messages, after which the broker waits; `0` means 65,535.
   */
  readonly prefetch_count?: number;
  /**
   * Maximum number of unacknowledged bytes, after which the broker waits. RabbitMQ refuses any such limit.
   */
  readonly prefetch_size?: number;
  readonly tls?: Tls;
}
/**
 * Declares the queue if it does not exist. An existing queue must have the same settings.
 */
export interface Amqp09QueueDeclare {
  /**
   * Whether the queue is declared.
   */
  readonly enabled?: boolean;
  /**
   * Whether the queue survives a restart of the broker.
   */
  readonly durable?: boolean;
  /**
   * Whether the queue is deleted, with all its messages, when its last consumer disconnects.
   */
  readonly auto_delete?: boolean;
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
 * Binding that routes messages from an exchange to the queue.
 */
export interface Amqp09Binding {
  /**
   * Exchange that the messages come from.
   */
  readonly exchange?: string;
  /**
   * Routing key, or a pattern of keys if the exchange supports patterns.
   */
  readonly key?: string;
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
export const amqp09InputDefaults = {
  queue_declare: {
    enabled: false,
    durable: true,
    auto_delete: false
  },
  bindings_declare: [],
  allow_wildcards: false,
  consumer_tag: "",
  auto_ack: false,
  nack_reject_patterns: [],
  prefetch_count: 10,
  prefetch_size: 0,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  }
} as const satisfies Partial<Amqp09InputOptions>;
