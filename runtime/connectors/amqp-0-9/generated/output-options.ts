// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Publishes each message to an exchange of an AMQP 0.9.1 broker, such as RabbitMQ.
 */
export interface Amqp09OutputOptions {
  /**
   * Addresses of the broker. If one fails, the next one is tried. An address can contain a user and password (`guest` otherwise) and the virtual host as its path; `amqps://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Exchange to publish to. The empty name routes messages to the queue that `key` names.
   */
  readonly exchange: Text;
  readonly exchange_declare?: Amqp09ExchangeDeclare;
  /**
   * Routing key.
   */
  readonly key?: Text;
  /**
   * Type of the message.
   */
  readonly type?: Text;
  /**
   * Media type of the content.
   */
  readonly content_type?: Text;
  /**
   * Encoding of the content, such as `gzip`.
   */
  readonly content_encoding?: Text;
  /**
   * Identifier that relates the message to another one, such as a request.
   */
  readonly correlation_id?: Text;
  /**
   * Queue for a reply.
   */
  readonly reply_to?: Text;
  /**
   * Milliseconds after which the broker discards the message. If empty, it never expires.
   */
  readonly expiration?: Text;
  /**
   * Identifier of the message.
   */
  readonly message_id?: Text;
  /**
   * User who publishes the message. The broker refuses any user other than that of the connection.
   */
  readonly user_id?: Text;
  /**
   * Application that publishes the message.
   */
  readonly app_id?: Text;
  readonly metadata?: AmqpMetadataFilter;
  /**
   * Priority within the queue, from 0 to 255.
   */
  readonly priority?: Text;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  /**
   * Whether messages survive a restart of the broker if their queue does.
   */
  readonly persistent?: boolean;
  /**
   * Whether a message that is routed to no queue is a failure. Otherwise it is lost and counts as delivered, as RabbitMQ confirms it. A queue of the type stream is missing for a moment after a start of RabbitMQ.
   */
  readonly mandatory?: boolean;
  /**
   * Whether a message without a ready consumer is a failure; RabbitMQ no longer supports this.
   */
  readonly immediate?: boolean;
  /**
   * Maximum time to wait for the confirmation of the broker. If empty, there is no limit.
   */
  readonly timeout?: number;
  readonly tls?: Tls;
}
/**
 * Declares the exchange if it does not exist. An existing exchange must have the same settings.
 */
export interface Amqp09ExchangeDeclare {
  /**
   * Whether the exchange is declared.
   */
  readonly enabled?: boolean;
  /**
   * Type of the exchange: it routes by equal keys, to every queue, by patterns of keys, or as the plugin of that name does.
   */
  readonly type?: "direct" | "fanout" | "topic" | "x-custom";
  /**
   * Whether the exchange survives a restart of the broker.
   */
  readonly durable?: boolean;
}
/**
 * Metadata that is not sent as headers. All other metadata is sent, except what a broker reported about its own transport.
 */
export interface AmqpMetadataFilter {
  /**
   * Excludes names that begin with one of these prefixes.
   */
  readonly exclude_prefixes?: readonly string[];
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
