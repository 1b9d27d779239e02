// `nats_kv`: reads or writes a key of a bucket for each message.

import { jetstream } from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { ComponentContext, Processor } from "../../../component/component.ts";
import { openOnDemand } from "../../../component/kept-open.ts";
import { textOf } from "../../../component/text.ts";
import { MappingError } from "../../../errors.ts";
import { natsKeyFilter } from "../../../generated/formats.ts";
import { checkText } from "../../../grammar/computed-text.ts";
import { encodeJson } from "../../../message/json-bytes.ts";
import type { Message } from "../../../message/message.ts";
import type { Timestamp, Value } from "../../../message/value.ts";
import { type NatsKvOptions, natsKvDefaults } from "../../../processors/generated/nats-kv-options.ts";
import { failureFor, replaceEach } from "../../../processors/replace-each.ts";
import { connectNats, disconnectNats, natsFailure } from "../client.ts";
import { keyCheck } from "../grammar.ts";
import { findBucket, timestampOf } from "./bucket.ts";

interface OpenBucket {
  readonly connection: NatsConnection;
  readonly store: KV;
}

/**
 * Reads or writes a key for each message, one after the other. A message whose operation fails continues unchanged,
 * and flagged. The connection is opened with the first message.
 */
export function natsKv(options: NatsKvOptions): Processor {
  const settings = { ...natsKvDefaults, ...options };
  const check = keyCheck();
  const checkPattern = checkText("key", natsKeyFilter);
  // A computed key is not treated as a pattern, unless the pattern is literal text in the document.
  const isWritten = typeof settings.key === "string" || settings.key.isLiteralPattern === true;
  const isPattern = settings.operation === "keys" && isWritten;
  const opened = openOnDemand(
    (context: ComponentContext) => open(settings, context),
    ({ connection }) => disconnectNats(connection),
  );

  async function work(message: Message, context: ComponentContext): Promise<Message> {
    // Like the reference, computes the fields of each message as if it were alone in its batch.
    const text = textOf(settings.key, [message], 0);
    const key = isPattern ? checkPattern(text) : check(text);
    const revision = () =>
      revisionOf(settings.revision === undefined ? "" : textOf(settings.revision, [message], 0));
    const { store } = await opened.open(context);
    return operate(settings, store, message, key, revision);
  }

  return {
    process: replaceEach(work, failureFor("the bucket could not be used")),
    close: () => opened.close(),
  };
}

async function open(
  settings: NatsKvOptions & { readonly timeout: number },
  context: ComponentContext,
): Promise<OpenBucket> {
  const connection = await connectNats(settings, context);
  await findBucket(connection, settings.bucket);
  const client = jetstream(connection, { timeout: settings.timeout });
  return { connection, store: await new Kvm(client).open(settings.bucket) };
}

/** Parses a revision: a whole number that JavaScript represents exactly. */
function revisionOf(text: string): number {
  const revision = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(revision))
    throw new MappingError("the revision is not a whole number");
  return revision;
}

/** Performs the operation and returns the resulting message. */
async function operate(
  { bucket, operation }: NatsKvOptions,
  store: KV,
  message: Message,
  key: string,
  revision: () => number,
): Promise<Message> {
  const written = (how: string, at: number) =>
    message.withEntries([
      ["nats_kv_key", key],
      ["nats_kv_bucket", bucket],
      ["nats_kv_revision", at],
      ["nats_kv_operation", how],
    ]);
  switch (operation) {
    case "get":
      return read(message, await withFailure(store.get(key)));
    case "get_revision":
      return read(message, await withFailure(store.get(key, { revision: revision() })));
    case "create":
      return written("KeyValuePutOp", await withFailure(store.create(key, message.bytes())));
    case "put":
      return written("KeyValuePutOp", await withFailure(store.put(key, message.bytes())));
    case "update":
      // The client's own `update` does not support revision 0, the revision of a missing key.
      return written(
        "KeyValuePutOp",
        await withFailure(store.put(key, message.bytes(), { previousSeq: revision() })),
      );
    case "delete":
      await withFailure(store.delete(key));
      return written("KeyValueDeleteOp", 0);
    case "purge":
      await withFailure(store.purge(key));
      return written("KeyValuePurgeOp", 0);
    case "history": {
      const entries = await withFailure(listOf(store.history({ key })));
      return message.withBytes(
        encodeJson(entries.map((entry) => Object.fromEntries([...fieldsOf(entry), ["value", entry.value]]))),
      );
    }
    case "keys": {
      const keys = await withFailure(listOf(store.keys(key)));
      return message.withBytes(encodeJson(keys)).withEntries([["nats_kv_bucket", bucket]]);
    }
  }
}

async function withFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw natsFailure(error, "The bucket refused the operation");
  }
}

async function listOf<T>(source: Promise<AsyncIterable<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of await source) items.push(item);
  return items;
}

function read(message: Message, entry: KvEntry | null): Message {
  if (entry === null || entry.operation !== "PUT") throw new MappingError("nats: key not found");
  const metadata = fieldsOf(entry).map(([name, value]) => [`nats_kv_${name}`, value] as const);
  return message.withBytes(entry.value).withEntries(metadata);
}

const operations = { PUT: "KeyValuePutOp", DEL: "KeyValueDeleteOp", PURGE: "KeyValuePurgeOp" } as const;

function fieldsOf(entry: KvEntry): [name: string, value: Value][] {
  const { key, bucket, revision, delta, operation } = entry;
  return [
    ["key", key],
    ["bucket", bucket],
    ["revision", revision],
    ["delta", delta ?? 0],
    ["operation", operations[operation]],
    ["created", createdOf(entry)],
  ];
}

/** The stored message in an entry. It has the nanoseconds that the `Date` of the entry lacks. */
interface OfMessage {
  readonly sm: { readonly timestamp: string; readonly timestampNanos?: bigint };
}

function createdOf(entry: KvEntry): Timestamp {
  const { timestamp, timestampNanos } = (entry as KvEntry & OfMessage).sm;
  // Entries of a history have it. Entries read by key have the text of the server, such as
  // `2026-01-31T12:00:00.123456789Z`.
  if (timestampNanos !== undefined) return timestampOf(timestampNanos);
  const [, fraction = ""] = /\.(\d{1,9})/.exec(timestamp) ?? [];
  const seconds = BigInt(Math.floor(entry.created.getTime() / 1000));
  return timestampOf(seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")));
}
