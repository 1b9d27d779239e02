import type { KafkaMessage } from "kafkajs";
import type { Sequence } from "../../concurrency/ordering.ts";
import { GatewayError } from "../../errors.ts";
import { LateAttributes, Message, type Metadata } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { asBuffer, decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import type { EncodeHeaders } from "./record-headers.ts";

/** A record to write. */
export interface ProducerRecord {
  readonly key: Buffer | null;
  /** `null` for a tombstone. */
  readonly value: Buffer | null;
  /** See `createHeaderEncoder`. */
  readonly encodedHeaders: Buffer;
  /** The message that it was made of, if a failure of its write is to name it. */
  readonly origin: Message | undefined;
  /** Set when the record is sent. */
  partition?: number;
}

/** A record that was read. In a bundle, the client is patched to return numbers where these are exact. */
export type ReadRecord = Omit<KafkaMessage, "offset" | "timestamp"> & {
  readonly offset: string | number;
  /** Milliseconds since 1970. Absent in the format of records before Kafka 0.10. */
  readonly timestamp: string | number | undefined;
  /** The reason, if the record stands for a batch that cannot be read. */
  readonly unreadable?: unknown;
};

/** The origin of the records of one fetch. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  /** Topic and partition in one string, as positions name them. */
  readonly part: string;
  /** The offset after the newest record of the partition, at the time of the fetch. */
  readonly highWatermark: bigint;
}

/**
 * Converts a record to a message. Its headers become metadata: the last value of each name, or with `multiHeader` a
 * list of all values. The `kafka_*` names override headers of the same name. Integers beyond JavaScript's safe
 * integers stay exact. A record that stands for an unreadable batch is flagged.
 */
export function messageFromRecord(record: ReadRecord, place: RecordPlace, multiHeader = false): Message {
  return Message.withAttributes(
    record.value ?? new Uint8Array(),
    new RecordAttributes(record, place, multiHeader),
  );
}

/** What Kafka says of a record without a time. */
const noTime = -1;

class RecordAttributes extends LateAttributes {
  readonly #place: RecordPlace;
  readonly #offset: bigint;
  readonly #key: Buffer | null;
  readonly #headers: KafkaMessage["headers"];
  readonly #timestamp: number;
  readonly #isTombstone: boolean;
  readonly #multiHeader: boolean;

  constructor(
    { offset, key, headers, timestamp, value, unreadable }: ReadRecord,
    place: RecordPlace,
    multiHeader: boolean,
  ) {
    const number = BigInt(offset);
    super(
      { part: place.part, offset: number },
      unreadable === undefined ? undefined : unreadableBatch(unreadable),
    );
    this.#place = place;
    this.#offset = number;
    this.#key = key;
    this.#headers = headers;
    this.#timestamp = Number(timestamp ?? noTime);
    this.#isTombstone = value === null;
    this.#multiHeader = multiHeader;
  }

  protected collect(): Metadata {
    const { topic, partition, highWatermark } = this.#place;
    const offset = this.#offset;
    const lag = highWatermark - offset - 1n;
    const metadata = new Map<string, Value>();
    for (const [name, values] of Object.entries(this.#headers ?? {})) {
      const texts = headerTexts(values);
      const last = texts.at(-1);
      if (last !== undefined) metadata.set(name, this.#multiHeader ? texts : last);
    }
    metadata.set("kafka_key", this.#key === null ? "" : decodeUtf8(this.#key));
    metadata.set("kafka_topic", topic);
    metadata.set("kafka_partition", partition);
    metadata.set("kafka_offset", integer(offset));
    metadata.set("kafka_lag", integer(lag > 0n ? lag : 0n));
    metadata.set("kafka_timestamp_unix", Math.floor(this.#timestamp / 1000));
    metadata.set("kafka_timestamp_unix_ms", this.#timestamp);
    metadata.set("kafka_tombstone_message", this.#isTombstone);
    return metadata;
  }
}

/** Returns the failure of an unreadable batch. The cause contains texts of libraries, for the log only. */
function unreadableBatch(cause: unknown): GatewayError {
  return new GatewayError(422, "The batch of Kafka records cannot be read", { cause, retryable: false });
}

/**
 * Returns the sequence of a message:
 * the records with its key in its partition, or its whole partition if it has no key.
 */
export function recordSequence({ metadata, position }: Message): Sequence | undefined {
  if (position === undefined) return undefined;
  const key = metadata.get("kafka_key");
  return typeof key === "string" && key !== ""
    ? { name: `${position.part} ${key}`, isKey: true }
    : { name: position.part, isKey: false };
}

/**
 * Returns the values of one header name as texts; a header without a value is empty. For a name such as
 * `constructor`, which every object has, kafkajs puts the inherited property before the values: that is skipped.
 */
function headerTexts(values: unknown): readonly string[] {
  return [values].flat().flatMap((value) => {
    if (value === null) return "";
    if (typeof value === "string") return value;
    return value instanceof Uint8Array ? decodeUtf8(value) : [];
  });
}

/** Returns the record of a message. An empty key means no key. A tombstone that was read and is still empty stays one. */
export function recordFromMessage(
  message: Message,
  key: string,
  encodeHeaders: EncodeHeaders,
  origin?: Message,
): ProducerRecord {
  const bytes = message.bytes();
  const isTombstone = bytes.length === 0 && message.metadata.get("kafka_tombstone_message") === true;
  return {
    key: key === "" ? null : asBuffer(encodeUtf8(key)),
    value: isTombstone ? null : asBuffer(bytes),
    encodedHeaders: encodeHeaders(message),
    origin,
  };
}

/** Bytes of a batch of one record besides the key, the value and the encoded headers, if these are short. */
const recordOverhead = 69;

/** Returns the approximate size of a record in a request, in bytes. */
export function recordSize({ key, value, encodedHeaders }: ProducerRecord): number {
  return recordOverhead + (key?.length ?? 0) + (value?.length ?? 0) + encodedHeaders.length;
}

function integer(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
