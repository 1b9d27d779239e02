import { randomBytes } from "node:crypto";

/**
 * `orders` -> `orders-3f9a61c2`: a topic, subject or group of a test's own. Suites share their brokers
 * within a run and those named in the environment across runs, so every test takes names from here.
 */
export function unique(name: string): string {
  return `${name}-${randomBytes(4).toString("hex")}`;
}
