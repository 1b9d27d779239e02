import type { KafkaMessage, Message as ProducerMessage } from "kafkajs";
import type { Sequence } from "../../concurrency/ordering.ts";
import { GatewayError } from "../../errors.ts";
import { LateAttributes, Message, type Metadata } from "../../message/message.ts";
import { travellingMetadata } from "../../message/metadata.ts";
import type { NameTest } from "../../message/name-filter.ts";
import type { Value } from "../../message/value.ts";
import { asBuffer, decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { checkEncodable } from "./grammar.ts";

/** A record to write. */
export interface ProducerRecord extends ProducerMessage {
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, Buffer>>;
}

/** A record that was read; with the reason where it stands for a batch that cannot be. */
export type ReadRecord = KafkaMessage & { readonly unreadable?: unknown };

/** Where the records of one fetch were read. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  /** Topic and partition in one, as positions name it. */
  readonly part: string;
  /** Offset after the partition's newest record, when these were fetched. */
  readonly highWatermark: bigint;
}

/**
 * A record as message. Its headers become metadata, the last of a name where there are several, or with
 * `multiHeader` a list of all; the `kafka_*` names win over a header of the same name. Integers beyond
 * JavaScript's are kept exactly. One that stands for a batch that cannot be read is flagged.
 */
export function messageFromRecord(record: ReadRecord, place: RecordPlace, multiHeader = false): Message {
  return Message.withAttributes(
    record.value ?? new Uint8Array(),
    new RecordAttributes(record, place, multiHeader),
  );
}

class RecordAttributes extends LateAttributes {
  readonly #place: RecordPlace;
  readonly #offset: bigint;
  readonly #key: Buffer | null;
  readonly #headers: KafkaMessage["headers"];
  readonly #timestamp: string;
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
    this.#timestamp = timestamp;
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
    metadata.set("kafka_timestamp_unix", Math.floor(Number(this.#timestamp) / 1000));
    metadata.set("kafka_timestamp_unix_ms", Number(this.#timestamp));
    metadata.set("kafka_tombstone_message", this.#isTombstone);
    return metadata;
  }
}

/** What is wrong with the batch is in words of libraries, for the log. */
function unreadableBatch(cause: unknown): GatewayError {
  return new GatewayError(422, "The batch of Kafka records cannot be read", { cause, retryable: false });
}

/** The records of its key in its partition; without a key, those of its partition. */
export function recordSequence({ metadata, position }: Message): Sequence | undefined {
  if (position === undefined) return undefined;
  const key = metadata.get("kafka_key");
  return typeof key === "string" && key !== ""
    ? { name: `${position.part} ${key}`, isKey: true }
    : { name: position.part, isKey: false };
}

/**
 * The values of one header name as texts; one without a value is empty. Of a name such as `constructor`, which every
 * object has, kafkajs puts what the object has before the values: that is none of them.
 */
function headerTexts(values: unknown): readonly string[] {
  return [values].flat().flatMap((value) => {
    if (value === null) return "";
    if (typeof value === "string") return value;
    return value instanceof Uint8Array ? decodeUtf8(value) : [];
  });
}

/** What headers a record gets. */
export interface HeaderSettings {
  /** Which metadata become headers; absent where none do, so that messages need not collect any. */
  readonly passes: NameTest | undefined;
  /** Headers of every record, which win. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** The record of a message; an empty key is not a key. */
export function recordFromMessage(message: Message, key: string, headers: HeaderSettings): ProducerRecord {
  const own: Record<string, Buffer> = {};
  const { passes } = headers;
  for (const [name, value] of passes === undefined ? [] : travellingMetadata(message)) {
    if (passes?.(name) !== true) continue;
    const text = typeof value === "string" ? encodeUtf8(checkEncodable("headers", value)) : value;
    setHeader(own, checkEncodable("headers", name), asBuffer(text));
  }
  for (const [name, value] of Object.entries(headers.fixed))
    setHeader(own, name, asBuffer(encodeUtf8(value)));
  return {
    key: key === "" ? null : asBuffer(encodeUtf8(key)),
    value: asBuffer(message.bytes()),
    headers: own,
  };
}

/** A header may be called `__proto__`; an object without a prototype would be slower for all others. */
function setHeader(headers: Record<string, Buffer>, name: string, value: Buffer): void {
  if (name !== "__proto__") headers[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, configurable: true, writable: true });
}

/** About how many bytes a record takes in a request. */
export function recordSize({ key, value, headers }: ProducerRecord): number {
  let size = 70 + (key?.length ?? 0) + value.length;
  for (const name in headers) size += 4 + name.length + (headers[name]?.length ?? 0);
  return size;
}

function integer(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
