import { randomUUID } from "node:crypto";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, headers } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cacheContract } from "../../../component/contract.ts";
import { natsKvCache } from "../../../runtime/connectors/nats/kv/cache.ts";
import { natsKv } from "../../../runtime/connectors/nats/kv/step.ts";
import { natsRequestReply } from "../../../runtime/connectors/nats/request-reply.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { printJson } from "../../../runtime/message/json.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { NatsKvOptions } from "../../../runtime/processors/generated/nats-kv-options.ts";
import { nats } from "../../harness/brokers.ts";
import { batchOf, componentContext, textOfBatch } from "./contexts.ts";

const test = suite("nats requests");
const broker = await nats();
const urls = [broker.address];
const peer = await connect({ servers: broker.address });
test.after(async () => {
  await peer.close();
  await broker.stop();
});

for (const each of cacheContract(async () => {
  const bucket = `b-${randomUUID()}`;
  await new Kvm(jetstream(peer)).create(bucket);
  return natsKvCache({ urls, bucket });
}))
  test(`nats_kv: ${each.name}`, each.run);

test("a deleted key can be added again, and an invalid one is rejected", async () => {
  const bucket = `b-${randomUUID()}`;
  await new Kvm(jetstream(peer)).create(bucket);
  const cache = natsKvCache({ urls, bucket });
  await cache.start?.(componentContext());
  await cache.set("a", Buffer.from("1"));
  await cache.delete("a");
  assert.is(await cache.get("a"), undefined);
  assert.is(await cache.add("a", Buffer.from("2")), true);
  for (const key of ["a b", "*", ">", "", "a\r\nPUB x 1\r\n1"]) {
    const refused = await Promise.resolve(cache.get(key)).catch((error: unknown) => error);
    assert.is(refused instanceof GatewayError && refused.status, 422, key);
  }
  await cache.close?.();
  await cache.close?.();
});

test("replies replace messages, with their headers as metadata", async () => {
  const subject = `ask.${randomUUID()}`;
  peer.subscribe(subject, {
    callback: (_, message) => {
      const reply = headers();
      reply.set("X-Kind", "reply");
      const sent = [
        message.headers?.get("X-Fixed"),
        message.headers?.get("x_passed"),
        message.headers?.get("other"),
      ];
      message.respond(`${message.string()} ${sent.join()} ${message.reply?.split(".")[0]}`, {
        headers: reply,
      });
    },
  });
  await peer.flush();
  const processor = natsRequestReply({
    urls,
    subject: (batch: Batch, index: number) =>
      textOfBatch([batch[index]] as unknown as Batch) === "bad" ? "no subject" : subject,
    headers: { "X-Fixed": "1" },
    metadata: (name) => name.startsWith("x_"),
    inbox_prefix: "_OWN",
  });
  const batch = [
    Message.fromText(
      "a",
      new Map([
        ["x_passed", "2"],
        ["other", "3"],
      ]),
    ),
    ...batchOf("bad"),
  ];
  const [first, second] = (await processor.process(batch, componentContext())).flat();
  assert.is(first && textOfBatch([first]), "a 1,2, _OWN");
  assert.is(first?.metadata.get("X-Kind"), "reply");
  assert.is(second?.failure?.status, 422);
  assert.is(second && textOfBatch([second]), "bad");
  await processor.close?.();
});

test("a request without responders fails its message", async () => {
  const processor = natsRequestReply({ urls, subject: `nobody.${randomUUID()}`, timeout: 100 });
  const [message] = (await processor.process(batchOf("a"), componentContext())).flat();
  assert.is(message?.failure?.status, 502);
  assert.is(message && textOfBatch([message]), "a");
  await processor.close?.();
});

test("keys are read and written, and a message that fails stays unchanged", async () => {
  const bucket = `b-${randomUUID()}`;
  await new Kvm(jetstream(peer)).create(bucket, { history: 5 });
  const run = async (
    operation: NatsKvOptions["operation"],
    key: string | (() => string),
    revision?: string,
  ) => {
    const processor = natsKv({ urls, bucket, operation, key, ...(revision !== undefined && { revision }) });
    const [message] = (await processor.process(batchOf("text"), componentContext())).flat();
    await processor.close?.();
    return {
      text: message && textOfBatch([message]),
      failure: message?.failure,
      metadata: message?.metadata,
    };
  };
  assert.is((await run("get", "a")).failure?.message, "nats: key not found");
  assert.is((await run("create", "a")).metadata?.get("nats_kv_revision"), 1);
  assert.is((await run("create", "a")).failure?.status, 502);
  assert.is((await run("put", "a")).metadata?.get("nats_kv_revision"), 2);
  assert.is((await run("update", "a", "1")).failure?.status, 502);
  assert.is((await run("update", "a", "0")).failure?.status, 502);
  assert.is((await run("update", "new", "0")).metadata?.get("nats_kv_operation"), "KeyValuePutOp");
  assert.is((await run("update", "a", "-1")).failure?.status, 422);
  assert.is((await run("update", "a", "2")).metadata?.get("nats_kv_operation"), "KeyValuePutOp");
  assert.is((await run("get_revision", "a", "1")).metadata?.get("nats_kv_revision"), 1);
  assert.is((await run("get_revision", "a", "one")).failure?.status, 422);
  assert.is((await run("get", "a")).text, "text");
  await run("put", "b.c");
  assert.is((await run("keys", "b.*")).text, '["b.c"]');
  assert.is((await run("keys", () => "b.*")).failure?.status, 422);
  const history = JSON.parse((await run("history", "a")).text ?? "");
  assert.is(history.length, 3);
  const manager = await jetstreamManager(peer);
  for (const { revision, created } of history) {
    const stored = await manager.streams.getMessage(`KV_${bucket}`, { seq: revision });
    const read = (await run("get_revision", "a", String(revision))).metadata?.get("nats_kv_created");
    assert.equal(
      [created, JSON.parse(printJson(read ?? null))],
      [stored?.timestamp, stored?.timestamp],
      "to the nanosecond",
    );
  }
  assert.is((await run("delete", "a")).text, "text");
  assert.is((await run("get", "a")).failure?.message, "nats: key not found");
  assert.is((await run("purge", "a")).failure, undefined);
});

test.run();
