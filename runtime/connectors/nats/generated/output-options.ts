// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component.ts";

/**
 * Publishes each message to a NATS subject.
 */
export interface NatsOutputOptions {
  /**
   * Addresses of the servers.
   */
  readonly urls: readonly string[];
  /**
   * Subject to publish to.
   */
  readonly subject: Text;
  /**
   * Headers of the published message.
   */
  readonly headers?: Readonly<Record<string, Text>>;
}
