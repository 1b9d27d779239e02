// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component.ts";

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
   * Topic to publish to.
   */
  readonly topic: Text;
  /**
   * Quality of service of the publication: 0 at most once, 1 at least once, 2 exactly once.
   */
  readonly qos?: number;
  /**
   * Whether the broker keeps the message for readers that come later.
   */
  readonly retained?: boolean;
  /**
   * Longest time the broker may take to confirm.
   */
  readonly write_timeout?: number;
}

/** What the fields hold that a document leaves out. */
export const mqttOutputDefaults = {
  client_id: "",
  connect_timeout: 30000,
  user: "",
  password: "",
  keepalive: 30,
  protocol_version: 4,
  qos: 1,
  retained: false,
  write_timeout: 3000
} as const satisfies Partial<MqttOutputOptions>;
