import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import type { MemoryUse } from "./memory.ts";

/** How much traffic there is while somebody is slow: what it takes on a busy machine is more time, not less traffic. */
export interface Pace {
  /** Megabytes offered in all. */
  readonly megabytes: number;
  /** Megabytes offered per second, at most. */
  readonly rate: number;
}

/** What became of a gateway whose client or broker did not keep up. */
export interface ScenarioResult {
  readonly scenario: string;
  /** Megabytes of messages that were offered while it was slow. */
  readonly offered: number;
  /** Megabytes of messages that went through meanwhile. */
  readonly passed: number;
  readonly peak: MemoryUse;
  /** Messages that had to arrive once it was quick again, and did not. */
  readonly lost: number;
  readonly log: string;
}

/** Somebody who does not keep up. */
export interface Scenario {
  readonly name: string;
  run(kafka: ProxiedKafka, pace: Pace): Promise<ScenarioResult>;
}

/** Characters added to each message: the traffic is to be many bytes rather than many messages. */
export const padding = 4000;

/** Messages of one chunk that is offered at a time. */
export const chunkSize = 100;

/** Megabytes of so many messages. */
export function sizeOf(messages: number): number {
  return (messages * padding) / 2 ** 20;
}
