import { randomUUID } from "node:crypto";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { natsKvInput } from "../../../runtime/connectors/nats/kv/input.ts";
import { natsKvOutput } from "../../../runtime/connectors/nats/kv/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { printJson } from "../../../runtime/message/json.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { nats } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import type { Queue } from "../../harness/queue.ts";
import { eventually, until } from "../../harness/wait.ts";
import {
  batchOf,
  componentContext,
  type Delivery,
  inputContext,
  outagesInto,
  textOfBatch,
} from "./contexts.ts";

const test = suite("nats_kv");
const broker = await nats();
const urls = [broker.address];
const peer = await connect({ servers: broker.address });
const client = jetstream(peer);
const manager = await jetstreamManager(peer);
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const newBucket = async (history = 5) => {
  const bucket = `b-${randomUUID()}`;
  return { bucket, store: await new Kvm(client).create(bucket, { history }) };
};

/** Confirms the next deliveries and returns the key, the value and the operation of each. */
async function confirmed(deliveries: Queue<Delivery>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { batch, text, confirm } = await deliveries.next();
    const { metadata } = batch[0] ?? {};
    seen.push(`${metadata?.get("nats_kv_key")} ${metadata?.get("nats_kv_operation")} ${text}`);
    confirm();
  }
  return seen;
}

test("the existing values come first, then each change, with its metadata", async () => {
  const { bucket, store } = await newBucket();
  await store.put("a", "old");
  await store.put("a", "new");
  await store.put("b.c", "other");
  const context = inputContext();
  const input = natsKvInput({ urls, bucket });
  await input.start(context);
  const { batch, text, confirm } = await context.deliveries.next();
  assert.is(text, "new");
  const { created } = (await store.get("a")) ?? {};
  const { nats_kv_created, ...metadata } = Object.fromEntries(batch[0]?.metadata ?? []);
  const at = JSON.parse(printJson(nats_kv_created ?? null));
  assert.is(new Date(at).getTime(), created?.getTime());
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  assert.equal(metadata, {
    nats_kv_key: "a",
    nats_kv_bucket: bucket,
    nats_kv_revision: 2,
    nats_kv_delta: 1,
    nats_kv_operation: "KeyValuePutOp",
  });
  confirm();
  // A purge removes values that the server has not sent yet.
  assert.equal(await confirmed(context.deliveries, 1), ["b.c KeyValuePutOp other"]);
  await store.delete("a");
  await store.purge("b.c");
  await store.put("a", "again");
  assert.equal(await confirmed(context.deliveries, 3), [
    "a KeyValueDeleteOp ",
    "b.c KeyValuePurgeOp ",
    "a KeyValuePutOp again",
  ]);
  await input.close();
  await input.close();
  assert.is((await manager.consumers.list(`KV_${bucket}`).next()).length, 0);
});

test("history, deletions and values are included or excluded as configured", async () => {
  const { bucket, store } = await newBucket();
  await store.put("a", "1");
  await store.put("a", "2");
  await store.delete("b");
  await store.put("c", "3");
  const deleted = "b KeyValueDeleteOp ";
  const cases = [
    [{}, ["a KeyValuePutOp 2", deleted, "c KeyValuePutOp 3"]],
    [{ include_history: true }, ["a KeyValuePutOp 1", "a KeyValuePutOp 2", deleted, "c KeyValuePutOp 3"]],
    [{ ignore_deletes: true }, ["a KeyValuePutOp 2", "c KeyValuePutOp 3"]],
    [{ meta_only: true }, ["a KeyValuePutOp ", deleted, "c KeyValuePutOp "]],
    [{ key: "c" }, ["c KeyValuePutOp 3"]],
  ] as const;
  for (const [options, expected] of cases) {
    const context = inputContext();
    const input = natsKvInput({ urls, bucket, ...options });
    await input.start(context);
    // Keys are delivered concurrently; the updates of one key keep the order of the bucket.
    assert.equal((await confirmed(context.deliveries, expected.length)).sort(), expected);
    await input.close();
    assert.is(context.deliveries.all.length, expected.length);
  }
});

test("a rejected value is redelivered before a newer one of its key", async () => {
  const { bucket, store } = await newBucket();
  await store.put("a", "1");
  const context = inputContext();
  const input = natsKvInput({ urls, bucket });
  await input.start(context);
  const first = await context.deliveries.next();
  await store.put("a", "2");
  await store.put("b", "3");
  assert.equal(await confirmed(context.deliveries, 1), ["b KeyValuePutOp 3"]);
  first.refuse(new GatewayError(502, "not now"));
  assert.equal(await confirmed(context.deliveries, 2), ["a KeyValuePutOp 1", "a KeyValuePutOp 2"]);
  assert.equal(context.blocked, [true, false]);
  await input.close();
});

test("values of one key are batched in order, and redelivered together", async () => {
  const { bucket, store } = await newBucket(10);
  for (const value of ["1", "2", "3", "4"]) await store.put("a", value);
  const context = inputContext();
  const input = inputWithBatching(natsKvInput({ urls, bucket, include_history: true }), { count: 3 });
  await input.start(context);
  const first = await context.deliveries.next();
  assert.is(first.text, "1 2 3");
  first.refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "1 2 3");
  again.confirm();
  for (const value of ["5", "6"]) await store.put("a", value);
  const last = await context.deliveries.next();
  assert.is(last.text, "4 5 6");
  last.confirm();
  await input.close();
});

test("without replay, a rejected value is given up", async () => {
  const { bucket, store } = await newBucket();
  await store.put("a", "1");
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    giveUp: async (batch: Parameters<typeof textOfBatch>[0]) => void givenUp.push(textOfBatch(batch)),
  };
  const input = natsKvInput({ urls, bucket, auto_replay_nacks: false });
  await input.start(context);
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  await store.put("a", "2");
  assert.equal(await confirmed(context.deliveries, 1), ["a KeyValuePutOp 2"]);
  assert.equal(givenUp, ["1"]);
  await input.close();
});

test("an output sets keys in order and rejects invalid keys", async () => {
  const { bucket, store } = await newBucket();
  const output = natsKvOutput({
    urls,
    bucket,
    key: (batch, index) => (textOfBatch(batch.slice(index, index + 1)) === "bad" ? "no key" : "users.1"),
    max_in_flight: 1,
  });
  await output.start(componentContext());
  await Promise.all([output.write(batchOf("1", "2")), output.write(batchOf("3"))]);
  assert.is((await store.get("users.1"))?.string(), "3");
  assert.is((await store.get("users.1"))?.revision, 3);
  const refused = await output.write(batchOf("bad")).catch((error: unknown) => error);
  assert.instance(refused, GatewayError);
  assert.not.ok(refused instanceof GatewayError && refused.retryable);
  await output.close();
  await output.close();
});

test("a missing bucket is reported at the start", async () => {
  const bucket = `none-${randomUUID()}`;
  const output = natsKvOutput({ urls, bucket, key: "a" });
  const failed = await output.start(componentContext()).catch((error: unknown) => error);
  assert.is(failed instanceof GatewayError && failed.message, `The bucket ${bucket} does not exist`);
  await output.close();
  const input = natsKvInput({ urls, bucket });
  const missing = await input.start(inputContext()).catch((error: unknown) => error);
  assert.is(missing instanceof GatewayError && missing.message, `The bucket ${bucket} does not exist`);
  await input.close();
});

test("a bucket that is deleted and created again is read from its start, and written again", async () => {
  const { bucket, store } = await newBucket();
  await store.put("a", "1");
  const reports: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(reports) };
  const input = natsKvInput({ urls, bucket });
  await input.start(context);
  const output = natsKvOutput({ urls, bucket, key: "out" });
  await output.start(componentContext());
  assert.equal(await confirmed(context.deliveries, 1), ["a KeyValuePutOp 1"]);
  await manager.streams.delete(`KV_${bucket}`);
  await until(() => reports.includes("the JetStream consumer cannot be opened"));
  const refused = await output.write(batchOf("lost")).catch((error: unknown) => error);
  assert.ok(refused instanceof GatewayError && refused.retryable, "the writer tries again");
  const anew = await new Kvm(client).create(bucket);
  for (const key of ["b", "c", "d"]) await anew.put(key, "2");
  await output.write(batchOf("3"));
  assert.equal(await confirmed(context.deliveries, 4), [
    ...["b", "c", "d"].map((key) => `${key} KeyValuePutOp 2`),
    "out KeyValuePutOp 3",
  ]);
  await eventually(() => reports.at(-1), undefined, { what: "the end of the outage" });
  await Promise.all([input.close(), output.close()]);
});

test("after a restart of the server the newest values are delivered", async () => {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  let server = await startNats(place);
  const admin = await connect({ servers: server.address, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const store = await new Kvm(admin).create("settings");
  await store.put("a", "1");
  const context = inputContext();
  const input = natsKvInput({ urls: [server.address], bucket: "settings" });
  await input.start(context);
  const output = natsKvOutput({ urls: [server.address], bucket: "settings", key: "a" });
  await output.start(componentContext());
  assert.equal(await confirmed(context.deliveries, 1), ["a KeyValuePutOp 1"]);
  await server.stop();
  server = await startNats(place);
  await until(() => output.write(batchOf("2")).then(() => true));
  assert.equal(await confirmed(context.deliveries, 1), ["a KeyValuePutOp 2"]);
  await Promise.all([input.close(), output.close(), admin.close()]);
  await server.stop();
});

test.run();
