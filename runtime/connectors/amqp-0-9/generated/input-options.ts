// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads a queue of an AMQP 0.9.1 broker, such as RabbitMQ.
 */
export interface Amqp09InputOptions {
  /**
   * Addresses of the broker; the next one is tried when one fails. A user and password may stand in them (else guest), and the virtual host as their path; `amqps://` encrypts.
   */
  readonly urls: readonly string[];
  /**
   * Queue to read.
   */
  readonly queue: string;
  readonly queue_declare?: Amqp09QueueDeclare;
  /**
   * Bindings of the queue to make where they are missing.
   */
  readonly bindings_declare?: readonly Amqp09Binding[];
  /**
   * Whether values of requests in `bindings_declare` may hold wildcards, with which clients choose what they read; else such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Name of the reader that the broker shows; it makes one up where none is given. Of several workers, all but the first have their number behind it.
   */
  readonly consumer_tag?: string;
  /**
   * Acknowledges messages when they come, before they are delivered: a crash loses those under way.
   */
  readonly auto_ack?: boolean;
  /**
   * Regular expressions of RE2. A message whose failure has one of them in its text is not tried again: it goes to the queue's dead-letter exchange, or is gone where there is none.
   */
  readonly nack_reject_patterns?: readonly string[];
  /**
   * Messages under way at once, which the broker waits for; `0` stands for 65,535.
   */
  readonly prefetch_count?: number;
  /**
   * The same in bytes; RabbitMQ refuses any limit of that kind.
   */
  readonly prefetch_size?: number;
  readonly tls?: Tls;
}
/**
 * Makes the queue where it is missing; one that is there has to be as described.
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
   * Whether the queue goes, with all that is in it, when its last reader leaves.
   */
  readonly auto_delete?: boolean;
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
 * Which messages of an exchange come to the queue.
 */
export interface Amqp09Binding {
  /**
   * Exchange that messages come from.
   */
  readonly exchange?: string;
  /**
   * Routing key, or pattern of keys where the exchange takes patterns.
   */
  readonly key?: string;
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
