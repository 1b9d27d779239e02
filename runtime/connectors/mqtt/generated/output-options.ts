// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";

/**
 * Publishes each message to an MQTT topic.
 */
export interface MqttOutputOptions {
  /**
   * URLs of the broker. If one fails, the next one is tried.
   */
  readonly urls: readonly string[];
  /**
   * Client id that is sent to the broker; random if it is omitted. Two clients with the same id disconnect each other.
   */
  readonly client_id?: string;
  /**
   * Appends a random suffix to `client_id` at each start, so that several gateways can run the same document.
   */
  readonly dynamic_client_id_suffix?: "nanoid";
  /**
   * Timeout of a connection attempt.
   */
  readonly connect_timeout?: number;
  readonly will?: MqttWill;
  /**
   * User name.
   */
  readonly user?: string;
  /**
   * Password.
   */
  readonly password?: string;
  /**
   * Seconds of inactivity after which the connection is checked.
   */
  readonly keepalive?: number;
  /**
   * Protocol version as sent on the wire: 4 is MQTT 3.1.1, 5 is MQTT 5.
   */
  readonly protocol_version?: 4 | 5;
  readonly tls?: Tls;
  /**
   * Topic to publish to.
   */
  readonly topic: Text;
  /**
   * Quality of service of the publication: 0 at most once, 1 at least once, 2 exactly once.
   */
  readonly qos?: number;
  /**
   * Whether the broker keeps the message for later subscribers.
   */
  readonly retained?: boolean;
  /**
   * Replaces `retained` with a value for each message, `true` or `false`.
   */
  readonly retained_interpolated?: Text;
  /**
   * Maximum time to wait for the confirmation of the broker.
   */
  readonly write_timeout?: number;
  /**
   * Maximum number of messages in flight. MQTT 5 brokers may ask for fewer; with quality of service 2 there are at most 20.
   */
  readonly max_in_flight?: number;
  /**
   * Content type of the message, for subscribers.
   */
  readonly content_type?: Text;
  /**
   * Topic for responses.
   */
  readonly response_topic?: Text;
  /**
   * Data that a response repeats, so that it can be matched to its request.
   */
  readonly correlation_data?: Text;
  /**
   * Time for which the broker keeps the message for subscribers that are disconnected, in whole seconds.
   */
  readonly message_expiry?: number;
  /**
   * User properties of the published message.
   */
  readonly user_properties?: Readonly<Record<string, Text>>;
  /**
   * Metadata that is sent as user properties of the same name. `user_properties` takes precedence.
   */
  readonly metadata?: NameTest | undefined;
}
/**
 * Will message, which the broker publishes on behalf of the gateway if the connection is lost.
 */
export interface MqttWill {
  /**
   * Enables the will message.
   */
  readonly enabled?: boolean;
  /**
   * Quality of service (QoS) of the message.
   */
  readonly qos?: number;
  /**
   * Whether the broker retains the message for later subscribers.
   */
  readonly retained?: boolean;
  /**
   * Topic to publish to.
   */
  readonly topic?: string;
  /**
   * Content of the message.
   */
  readonly payload?: string;
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
export const mqttOutputDefaults = {
  client_id: "",
  connect_timeout: 30000,
  will: {
    enabled: false,
    qos: 0,
    retained: false,
    topic: "",
    payload: ""
  },
  user: "",
  password: "",
  keepalive: 30,
  protocol_version: 4,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  qos: 1,
  retained: false,
  write_timeout: 3000,
  max_in_flight: 64
} as const satisfies Partial<MqttOutputOptions>;
