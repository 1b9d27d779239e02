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
   * Longest time a connection attempt may take.
   */
  readonly connect_timeout?: number;
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
  /**
   * Topic filters to read; `+` stands for one level, `#` for all that follow.
   */
  readonly topics: readonly string[];
  /**
   * Highest quality of service the broker delivers with: 0 at most once, 1 at least once, 2 exactly once.
   */
  readonly qos?: number;
  /**
   * Whether the broker forgets the subscription when the connection ends; `false` needs a `client_id`.
   */
  readonly clean_session?: boolean;
}

/** What the fields hold that a document leaves out. */
export const mqttInputDefaults = {
  client_id: "",
  connect_timeout: 30000,
  user: "",
  password: "",
  keepalive: 30,
  protocol_version: 4,
  qos: 1,
  clean_session: true
} as const satisfies Partial<MqttInputOptions>;
