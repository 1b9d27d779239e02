// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";

/**
 * Publishes each message to an MQTT topic.
 */
export interface MqttOutputOptions {
  /**
   * Addresses of the broker; the next one is tried when one fails.
   */
  readonly urls: readonly string[];
  /**
   * Name shown to the broker; a random one where none is given. Two clients of one name disconnect each other.
   */
  readonly client_id?: string;
  /**
   * Adds something random to `client_id` at each start, so that several gateways can run from one document.
   */
  readonly dynamic_client_id_suffix?: "nanoid";
  /**
   * Longest time a connection attempt may take.
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
   * Seconds of silence after which the connection is checked.
   */
  readonly keepalive?: number;
  /**
   * Version of the protocol by its wire number: 4 is MQTT 3.1.1, 5 is MQTT 5.
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
 * Message the broker publishes in our name when the connection is lost.
 */
export interface MqttWill {
  /**
   * Whether the broker is given the message.
   */
  readonly enabled?: boolean;
  /**
   * Quality of service of the message.
   */
  readonly qos?: number;
  /**
   * Whether the broker keeps the message for readers that come later.
   */
  readonly retained?: boolean;
  /**
   * Topic the message goes to.
   */
  readonly topic?: string;
  /**
   * Its content.
   */
  readonly payload?: string;
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
