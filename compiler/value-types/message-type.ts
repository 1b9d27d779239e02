// What is known of a message as it passes a point of a stream.

import { type Field, type Type, unknown } from "./type.ts";

/** A message between two components. */
export interface MessageType {
  /** Of `this`: the parsed document, or bytes without a description. */
  readonly content: Type;
  readonly metadata: MetadataType;
}

export interface MetadataType {
  /** By key. Metadata of inputs are text; mappings may set any value. */
  readonly known: ReadonlyMap<string, Field>;
  /** Whether there may be keys besides: headers of a broker's messages, say. */
  readonly others: boolean;
}

/** A message of which nothing is known. */
export const anyMessage: MessageType = { content: unknown, metadata: { known: new Map(), others: true } };
