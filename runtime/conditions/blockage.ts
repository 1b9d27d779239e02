// A batch that cannot be delivered and holds up its input, or comes again, and where it stands in its source.

import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { BeginCondition } from "./conditions.ts";

/** Where a message stands in its source, in the source's own words: `{ topic, partition, offset }`. Never its content. */
export type SourcePosition = Readonly<Record<string, string | number>>;

/** Where the first message of a batch stands. Asked only once it has failed. */
export type SourceOf = (batch: Batch) => SourcePosition;

/** A batch that was refused and is to be delivered all the same. Who began it keeps it up to date. */
export interface Blockage {
  /** Why the latest attempt failed. */
  failure: GatewayError;
  /** Attempts that failed. */
  attempts: number;
  readonly batch: Batch;
  /** Absent where the source has no positions. */
  readonly source?: SourcePosition | undefined;
  /** When the first attempt failed, in milliseconds since 1970. */
  readonly since: number;
}

export type BeginBlockage = BeginCondition<Blockage>;

/** The blockage of a batch whose first attempt has failed. */
export function blockageOf(batch: Batch, failure: GatewayError, sourceOf?: SourceOf): Blockage {
  return { batch, failure, attempts: 1, since: Date.now(), source: sourceOf?.(batch) };
}

/** Reads positions from the metadata that an input gives its messages: `{ topic: "kafka_topic" }`. */
export function sourceFrom(names: Readonly<Record<string, string>>): SourceOf {
  return ([first]) => {
    const found = Object.entries(names).flatMap(([name, metadata]) => {
      const value = first?.metadata.get(metadata);
      if (value === undefined || value === null || value === "") return [];
      return [[name, typeof value === "number" ? value : String(value)]];
    });
    return Object.fromEntries(found);
  };
}
