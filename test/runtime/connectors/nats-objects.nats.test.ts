import { randomUUID } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { Objm } from "@nats-io/obj";
import { connect, headers } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { natsObjectStoreInput } from "../../../runtime/connectors/nats/objects/input.ts";
import { natsObjectStoreOutput } from "../../../runtime/connectors/nats/objects/output.ts";
import { natsObjectStore } from "../../../runtime/connectors/nats/objects/step.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import { Timestamp } from "../../../runtime/message/value.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { nats } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { textOf } from "../gateway/components.ts";
import { batchOf, componentContext, inputContext, outagesInto } from "./contexts.ts";

const test = suite("nats objects");
const broker = await nats();
const urls = [broker.address];
const peer = await connect({ servers: broker.address });
test.after(async () => {
  await peer.close();
  await broker.stop();
});

async function newBucket() {
  const bucket = `b-${randomUUID()}`;
  return { bucket, store: await new Objm(peer).create(bucket) };
}

test("input: the existing objects, then each that is stored", async () => {
  const { bucket, store } = await newBucket();
  await store.putBlob({ name: "a/b c.txt", description: "first" }, Buffer.from("one"));
  await store.putBlob({ name: "gone" }, Buffer.from("x"));
  await store.delete("gone");
  const context = inputContext();
  const input = natsObjectStoreInput({ urls, bucket });
  await input.start(context);
  const first = await context.deliveries.next();
  const { metadata } = first.batch[0] ?? {};
  assert.equal(
    [first.text, metadata?.get("nats_object_store_name"), metadata?.get("nats_object_store_description")],
    ["one", "a/b c.txt", "first"],
  );
  first.refuse(new GatewayError(502, "no"));
  (await context.deliveries.next()).confirm();
  const large = "y".repeat(300_000);
  await store.putBlob({ name: "large" }, Buffer.from(large));
  const second = await context.deliveries.next();
  assert.is(second.text, large);
  assert.is(second.batch[0]?.metadata.get("nats_object_store_size"), 300_000);
  second.confirm();
  await input.close();
  const missing = await natsObjectStoreInput({ urls, bucket: "missing" })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.match(String(missing), /does not exist/);
});

test("input: each of many objects is delivered once, with metadata written by clients in other languages", async () => {
  const { bucket, store } = await newBucket();
  const kind = headers();
  kind.append("x-kind", "invoice");
  await store.putBlob({ name: "0", headers: kind }, Buffer.from("0"));
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  for (const name of names.slice(1)) await store.putBlob({ name }, Buffer.from(name));
  const context = inputContext();
  const input = natsObjectStoreInput({ urls, bucket });
  await input.start(context);
  for (const name of names) {
    const { text, batch, confirm } = await context.deliveries.next();
    assert.is(text, name);
    if (name === "0") {
      assert.equal(batch[0]?.metadata.get("nats_object_store_headers"), { "x-kind": ["invoice"] });
      assert.instance(batch[0]?.metadata.get("nats_object_store_modtime"), Timestamp);
    }
    confirm();
  }
  await input.close();
});

test("input: all objects stored during a delivery are delivered, each with its latest content", async () => {
  const { bucket, store } = await newBucket();
  await store.putBlob({ name: "slow" }, Buffer.from("slow"));
  const context = inputContext();
  const input = natsObjectStoreInput({ urls, bucket });
  await input.start(context);
  const slow = await context.deliveries.next();
  for (const name of ["a", "b", "a", "c"]) await store.putBlob({ name }, Buffer.from(name));
  slow.confirm();
  const names: unknown[] = [];
  while (names.at(-1) !== "c") {
    const { batch, confirm } = await context.deliveries.next();
    names.push(batch[0]?.metadata.get("nats_object_store_name"));
    confirm();
  }
  assert.equal(names, ["b", "a", "c"]);
  await input.close();
});

test("input: objects are batched, and redelivered together", async () => {
  const { bucket, store } = await newBucket();
  for (const name of ["a", "b", "c", "d"]) await store.putBlob({ name }, Buffer.from(name));
  const context = inputContext();
  const input = inputWithBatching(natsObjectStoreInput({ urls, bucket }), { count: 3 });
  await input.start(context);
  const first = await context.deliveries.next();
  assert.is(first.text, "a b c");
  first.refuse(new GatewayError(502, "no"));
  const again = await context.deliveries.next();
  assert.is(again.text, "a b c");
  again.confirm();
  for (const name of ["e", "f"]) await store.putBlob({ name }, Buffer.from(name));
  const second = await context.deliveries.next();
  assert.is(second.text, "d e f");
  second.confirm();
  await input.close();
});

test("a bucket that is created again and a server that restarts are read and written again", async () => {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  let server = await startNats(place);
  const admin = await connect({ servers: server.address, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const bucket = "files";
  const store = await new Objm(admin).create(bucket);
  await store.putBlob({ name: "old" }, Buffer.from("old"));
  const reports: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(reports) };
  const input = natsObjectStoreInput({ urls: [server.address], bucket });
  await input.start(context);
  const output = natsObjectStoreOutput({ urls: [server.address], bucket, object_name: "out" });
  await output.start(componentContext());
  (await context.deliveries.next()).confirm();

  await (await jetstreamManager(admin)).streams.delete(`OBJ_${bucket}`);
  await until(() => reports.includes("the JetStream consumer cannot be opened"));
  const refused = await output.write(batchOf("lost")).catch((error: unknown) => error);
  assert.ok(refused instanceof GatewayError && refused.retryable, "the writer tries again");
  const anew = await new Objm(admin).create(bucket);
  for (const name of ["a", "b", "c"]) {
    // One after another: nats-server 2.9 drops entries that are not delivered when another object is stored.
    await anew.putBlob({ name }, Buffer.from(name));
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, name);
    confirm();
  }

  await server.stop();
  server = await startNats(place);
  await until(() => output.write(batchOf("after the restart")).then(() => true));
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "after the restart");
  confirm();
  await Promise.all([input.close(), output.close(), admin.close()]);
  await server.stop();
});

test("output: each message is an object", async () => {
  const { bucket, store } = await newBucket();
  const object_name = (batch: Batch, index: number) => textOf(batch[index] as Message); // the index is inside the batch
  const output = natsObjectStoreOutput({ urls, bucket, object_name });
  await output.start(componentContext());
  await output.write(batchOf("one", "two"));
  assert.is(Buffer.from((await store.getBlob("two")) ?? []).toString(), "two");
  const refused = await output.write(batchOf("fits", "")).catch((error: unknown) => error);
  assert.is((refused as GatewayError).status, 422);
  assert.is(await store.info("fits"), null, "nothing of the batch is stored");
  const long = await output.write(batchOf("x".repeat(1025))).catch((error: unknown) => error);
  assert.is((long as GatewayError).status, 422);
  await output.close();
});

test("objects have the names other clients use: the base64 of their UTF-8", async () => {
  const { bucket } = await newBucket();
  const manager = await jetstreamManager(peer);
  for (const name of ["ü/1", "-7\u{9c1ed}", "𝒳?>", `${"a".repeat(1020)}🚚`]) {
    const put = natsObjectStore({ urls, bucket, operation: "put", object_name: name });
    const get = natsObjectStore({ urls, bucket, operation: "get", object_name: name });
    await put.process(batchOf(`kept ${name}`), componentContext());
    const [after = []] = await get.process(batchOf("x"), componentContext());
    assert.is(after[0] && textOf(after[0]), `kept ${name}`);
    const encoded = Buffer.from(name).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
    const stored = await manager.streams.getMessage(`OBJ_${bucket}`, {
      last_by_subj: `$O.${bucket}.M.${encoded}`,
    });
    assert.is(stored?.json<{ name: string }>().name, name);
    await Promise.all([put.close?.(), get.close?.()]);
  }
});

test("processor: objects are stored and read", async () => {
  const { bucket } = await newBucket();
  const put = natsObjectStore({ urls, bucket, operation: "put", object_name: "it" });
  const get = natsObjectStore({ urls, bucket, operation: "get", object_name: "it" });
  const [before = []] = await get.process(batchOf("x"), componentContext());
  assert.is(before[0]?.failure?.message, "The object does not exist");
  await put.process(batchOf("kept"), componentContext());
  const [after = []] = await get.process(batchOf("x"), componentContext());
  assert.is(after[0] && textOf(after[0]), "kept");
  await put.close?.();
  await get.close?.();
});

test.run();
