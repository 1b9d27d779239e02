// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Publishes each message to an exchange of an AMQP 0.9.1 broker, such as RabbitMQ.
 */
export interface Amqp09OutputOptions {
  /**
   * Addresses of the broker; the next one is tried when one fails. A user and password may stand in them (else guest), and the virtual host as their path; `amqps://` encrypts.
   */
  readonly urls: readonly string[];
  /**
   * Exchange to publish to; the empty one takes messages to the queue that `key` names.
   */
  readonly exchange: Text;
  readonly exchange_declare?: Amqp09ExchangeDeclare;
  /**
   * Routing key.
   */
  readonly key?: Text;
  /**
   * What kind of message it is.
   */
  readonly type?: Text;
  /**
   * Media type of the content.
   */
  readonly content_type?: Text;
  /**
   * How the content is encoded, such as `gzip`.
   */
  readonly content_encoding?: Text;
  /**
   * What the message belongs to.
   */
  readonly correlation_id?: Text;
  /**
   * Queue for a reply.
   */
  readonly reply_to?: Text;
  /**
   * Milliseconds after which the broker gives the message up; empty for never.
   */
  readonly expiration?: Text;
  /**
   * Name of the message.
   */
  readonly message_id?: Text;
  /**
   * Who publishes; the broker refuses any other than the user of the connection.
   */
  readonly user_id?: Text;
  /**
   * Which application publishes.
   */
  readonly app_id?: Text;
  readonly metadata?: AmqpMetadataFilter;
  /**
   * Priority within the queue, from 0 to 255.
   */
  readonly priority?: Text;
  /**
   * Batches on their way at once.
   */
  readonly max_in_flight?: number;
  /**
   * Whether messages survive a restart of the broker, in queues that do.
   */
  readonly persistent?: boolean;
  /**
   * Whether a message that no queue takes is a failure; else it is gone, and counts as delivered.
   */
  readonly mandatory?: boolean;
  /**
   * Whether a message without a ready consumer is a failure; RabbitMQ no longer supports this.
   */
  readonly immediate?: boolean;
  /**
   * Longest time the broker may take to confirm; empty for any.
   */
  readonly timeout?: number;
  readonly tls?: Tls;
}
/**
 * Makes the exchange where it is missing; one that is there has to be as described.
 */
export interface Amqp09ExchangeDeclare {
  /**
   * Whether the exchange is declared.
   */
  readonly enabled?: boolean;
  /**
   * How it routes: by equal keys, to every queue, by patterns of keys, or as a plugin of that name does.
   */
  readonly type?: "direct" | "fanout" | "topic" | "x-custom";
  /**
   * Whether it survives a restart of the broker.
   */
  readonly durable?: boolean;
}
/**
 * Metadata that does not travel as headers; all other does, but for what a broker said about its own transport.
 */
export interface AmqpMetadataFilter {
  /**
   * Names that begin with one of these stay behind.
   */
  readonly exclude_prefixes?: readonly string[];
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
export const amqp09OutputDefaults = {
  exchange_declare: {
    enabled: false,
    type: "direct",
    durable: true
  },
  key: "",
  type: "",
  content_type: "application/octet-stream",
  content_encoding: "",
  correlation_id: "",
  reply_to: "",
  expiration: "",
  message_id: "",
  user_id: "",
  app_id: "",
  metadata: {
    exclude_prefixes: []
  },
  priority: "",
  max_in_flight: 64,
  persistent: false,
  mandatory: false,
  immediate: false,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  }
} as const satisfies Partial<Amqp09OutputOptions>;
