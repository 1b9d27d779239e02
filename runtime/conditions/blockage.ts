// A batch that cannot be delivered and blocks its input or is redelivered, with its position in the source.

import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { BeginCondition } from "./conditions.ts";

/** The position of a message in its source, such as `{ topic, partition, offset }`; never any of its content. */
export type SourcePosition = Readonly<Record<string, string | number>>;

/** Returns the position of the first message of a batch. Called only after the batch has failed. */
export type SourceOf = (batch: Batch) => SourcePosition;

/** A batch that was refused and will be delivered again. Its creator keeps it up to date. */
export interface Blockage {
  /** Why the latest attempt failed. */
  failure: GatewayError;
  /** The number of failed attempts. */
  attempts: number;
  readonly batch: Batch;
  /** Absent if the source has no positions. */
  readonly source?: SourcePosition | undefined;
  /** When the first attempt failed, in milliseconds since 1970. */
  readonly since: number;
}

export type BeginBlockage = BeginCondition<Blockage>;

/** Creates the blockage of a batch whose first attempt has failed. */
export function blockageOf(batch: Batch, failure: GatewayError, sourceOf?: SourceOf): Blockage {
  return { batch, failure, attempts: 1, since: Date.now(), source: sourceOf?.(batch) };
}

/** Returns a function that reads positions from the metadata that an input sets: `{ topic: "kafka_topic" }`. */
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
