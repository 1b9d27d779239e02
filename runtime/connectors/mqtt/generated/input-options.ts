// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads messages of MQTT topics.
 */
export interface MqttInputOptions {
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
   * Topic filters to subscribe to; `+` matches one level, `#` all levels that follow. Subscribers of `$share/GROUP/FILTER` share the messages.
   */
  readonly topics: readonly string[];
  /**
   * Whether values of requests in `topics` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Maximum quality of service that the broker delivers with: 0 at most once, 1 at least once, 2 exactly once.
   */
  readonly qos?: number;
  /**
   * Whether the broker forgets the subscription when the connection ends; `false` needs a `client_id`.
   */
  readonly clean_session?: boolean;
  /**
   * Time for which the broker keeps the session of a gateway that is disconnected. Without it, the session never expires.
   */
  readonly session_expiry?: number;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
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
export const mqttInputDefaults = {
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
  allow_wildcards: false,
  qos: 1,
  clean_session: true,
  auto_replay_nacks: true
} as const satisfies Partial<MqttInputOptions>;
