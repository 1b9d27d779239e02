// NATS object stores. A bucket is a stream, and an object consists of several of its messages.

import { type ObjectStore, Objm } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/transport-node";
import type { ComponentContext } from "../../../component/component.ts";
import { GatewayError } from "../../../errors.ts";
import { unfit } from "../../../grammar/computed-text.ts";
import { connectNats, type NatsAddress, natsFailure } from "../client.ts";
import { findBucket } from "../kv/bucket.ts";

/** Largest object that is read or written, in bytes: it is held in memory as a whole. */
const largestObject = 128 * 1024 * 1024;

/** Longest name of an object, in bytes: it becomes part of a subject. */
const longestName = 1024;

/** An open bucket. */
export interface OpenStore {
  readonly connection: NatsConnection;
  readonly store: ObjectStore;
}

/** Returns the stream that stores a bucket. */
export function streamOf(bucket: string): string {
  return `OBJ_${bucket}`;
}

/** Returns the subjects of the entries of a bucket. Each object has one entry. */
export function entriesOf(bucket: string): string {
  return `$O.${bucket}.M.>`;
}

/** Connects and opens a bucket. Rejects with a `GatewayError` if it does not exist. */
export async function openStore(
  options: NatsAddress & { readonly bucket: string },
  context: ComponentContext,
): Promise<OpenStore> {
  const connection = await connectNats(options, context);
  await findBucket(connection, options.bucket, streamOf(options.bucket));
  try {
    const store = await new Objm(connection).open(options.bucket, false);
    return { connection, store: Object.assign(store, { _metaSubject: subjectsOf(options.bucket) }) };
  } catch (error) {
    await connection.close();
    throw natsFailure(error, "The bucket cannot be opened");
  }
}

/**
 * Returns a function that computes the subject of an object from its name: base64 of UTF-8, as in other clients
 * (ADR-20 of NATS). The client of this package encodes characters as bytes: it fails on names beyond Latin-1, and for
 * some others it uses a different subject.
 */
function subjectsOf(bucket: string): (name: string) => string {
  return (name) =>
    `$O.${bucket}.M.${Buffer.from(name).toString("base64").replaceAll("+", "-").replaceAll("/", "_")}`;
}

/** Returns the name if it is a valid object name. Throws 422 otherwise. */
export function checkObjectName(name: string): string {
  if (name === "" || Buffer.byteLength(name) > longestName)
    throw unfit(`the name of an object has 1 to ${longestName} bytes`);
  if (!name.isWellFormed()) throw unfit("the name of an object contains an unpaired surrogate");
  return name;
}

/** Returns the content of an object. Throws 404 if it does not exist, and 413 if it is too large. */
export async function readObject(store: ObjectStore, name: string): Promise<Uint8Array> {
  const info = await withFailure(store.info(name), "The bucket did not answer");
  if (info === null || info.deleted)
    throw new GatewayError(404, "The object does not exist", { retryable: false });
  if (info.size > largestObject) throw tooLarge();
  const content = await withFailure(store.getBlob(name), "The object cannot be read");
  if (content === null) throw new GatewayError(404, "The object does not exist", { retryable: false });
  return content;
}

/** Stores an object; resolves once the bucket has confirmed all of it. */
export async function writeObject(store: ObjectStore, name: string, content: Uint8Array): Promise<void> {
  if (content.length > largestObject) throw tooLarge();
  await withFailure(store.putBlob({ name }, content), "The bucket refused the object");
}

async function withFailure<T>(work: Promise<T>, failure: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw natsFailure(error, failure);
  }
}

function tooLarge(): GatewayError {
  return new GatewayError(413, `The object is larger than ${largestObject} bytes`, { retryable: false });
}
