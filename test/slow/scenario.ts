import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import type { MemoryUse } from "./memory.ts";

/** The traffic while a client or broker is slow. A busy machine takes more time for it, but not less traffic. */
export interface Pace {
  /** Megabytes offered in total. */
  readonly megabytes: number;
  /** The maximum of megabytes offered per second. */
  readonly rate: number;
}

/** The result for a gateway whose client or broker did not keep up. */
export interface ScenarioResult {
  readonly scenario: string;
  /** Megabytes of messages offered while the client or broker was slow. */
  readonly offered: number;
  /** Megabytes of messages that passed through the gateway in this time. */
  readonly passed: number;
  readonly peak: MemoryUse;
  /** Messages that had to arrive after the client or broker recovered, but did not. */
  readonly lost: number;
  readonly log: string;
}

/** A client or broker that does not keep up. */
export interface Scenario {
  readonly name: string;
  run(kafka: ProxiedKafka, pace: Pace): Promise<ScenarioResult>;
}

/** Characters added to each message: large messages make more bytes per message. */
export const padding = 4000;

/** The number of messages in a chunk. */
export const chunkSize = 100;

/** Returns the size of a number of messages, in megabytes. */
export function sizeOf(messages: number): number {
  return (messages * padding) / 2 ** 20;
}
