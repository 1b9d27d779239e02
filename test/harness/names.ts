import { randomBytes } from "node:crypto";

/**
 * Returns a unique name for a topic, subject or group: `orders` -> `orders-3f9a61c2`. Suites share brokers within a
 * run, and runs share brokers from the environment, so every test takes its names from here.
 */
export function unique(name: string): string {
  return `${name}-${randomBytes(4).toString("hex")}`;
}
