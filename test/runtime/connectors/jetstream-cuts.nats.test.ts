// What the connectors of JetStream do when connections break: nothing is held up, and nothing is delivered or stored
// again without need.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { natsJetstreamInput } from "../../../runtime/connectors/nats/jetstream/input.ts";
import { natsJetstreamOutput } from "../../../runtime/connectors/nats/jetstream/output.ts";
import { startTcpProxy, type TcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";
import { jetstreamPeer } from "./jetstream-peer.ts";

const test = suite("nats_jetstream behind a broken network");
const { broker, urls, peer, manager, client, newStream, pendingAcks, close } = await jetstreamPeer();
test.after(close);

/** Starts a proxy in front of the server and returns it with its address. */
async function proxied(): Promise<TcpProxy & { readonly urls: readonly string[] }> {
  const proxy = await startTcpProxy(Number(new URL(broker.address).port));
  return { ...proxy, urls: [`nats://127.0.0.1:${proxy.port}`] };
}

/** Milliseconds; longer than any test. The server redelivers an unacknowledged message only after this time. */
const never = 300_000;

test("an acknowledgement that is lost with its connection is repeated over the next one", async () => {
  const stream = await newStream("1", "2", "3");
  const proxy = await proxied();
  const context = inputContext();
  const options = { urls: proxy.urls, stream, durable: "d", ack_wait: never, max_ack_pending: 2 };
  const input = natsJetstreamInput(options);
  await input.start(context);
  const two = await context.deliveries.take(2);
  proxy.freeze();
  for (const { confirm } of two) confirm();
  await peer.flush();
  await pendingAcks(stream, "d", 2);
  proxy.reset();
  const three = await context.deliveries.next();
  assert.is(three.text, "3", "there is room for it without waiting for `ack_wait`");
  three.confirm();
  await pendingAcks(stream, "d", 0);
  await input.close();
  await proxy.close();
});

test("a stop repeats lost acknowledgements before it ends", async () => {
  for (const isCutFirst of [false, true]) {
    const stream = await newStream("1");
    const proxy = await proxied();
    const context = inputContext();
    const input = natsJetstreamInput({
      urls: proxy.urls,
      stream,
      durable: "d",
      ack_wait: never,
    });
    await input.start(context);
    const one = await context.deliveries.next();
    proxy.freeze();
    if (isCutFirst) {
      const closing = input.close();
      proxy.reset();
      await until(() => context.lines.some(({ message }) => message.startsWith("NATS connection lost")));
      one.confirm();
      await closing;
    } else {
      one.confirm();
      const closing = input.close();
      proxy.reset();
      await closing;
    }
    await pendingAcks(stream, "d", 0);
    await proxy.close();
  }
});

test("a stop returns messages that are on their way to the input", async () => {
  const stream = await newStream();
  const proxy = await proxied();
  const options = { stream, durable: "d", ack_wait: never };
  const stopping = inputContext();
  const input = natsJetstreamInput({ ...options, urls: proxy.urls });
  await input.start(stopping);
  proxy.mute();
  await client.publish(`${stream}.a`, "1");
  await pendingAcks(stream, "d", 1);
  const closing = input.close();
  proxy.release();
  await closing;
  assert.is(stopping.deliveries.all.length, 0);
  const context = inputContext();
  const next = natsJetstreamInput({ ...options, urls });
  await next.start(context);
  const one = await context.deliveries.next();
  assert.is(one.text, "1");
  one.confirm();
  await next.close();
  await proxy.close();
});

test("a stop does not wait long for an unreachable server, and logs possible redeliveries", async () => {
  const stream = await newStream("1");
  const proxy = await proxied();
  const context = inputContext();
  const input = natsJetstreamInput({ urls: proxy.urls, stream, durable: "d", ack_wait: never });
  await input.start(context);
  const one = await context.deliveries.next();
  proxy.hold();
  one.confirm();
  await input.close();
  const warning = context.lines.find(({ message }) =>
    message.includes("may redeliver acknowledged messages"),
  );
  assert.equal(warning?.fields.messages, 1);
  await proxy.close();
});

test("a message whose acknowledgement is lost with the connection is sent again over the next one", async () => {
  for (const [headers, copies] of [[{}, 2] as const, [{ "Nats-Msg-Id": "the same" }, 1] as const]) {
    const stream = await newStream();
    const proxy = await proxied();
    const output = natsJetstreamOutput({ urls: proxy.urls, subject: `${stream}.a`, headers });
    await output.start(componentContext());
    const stored = async () => (await manager.streams.info(stream)).state.messages;
    proxy.mute();
    const write = output.write(batchOf("once"));
    await until(async () => (await stored()) === 1);
    const closing = output.close();
    proxy.reset();
    await write;
    await closing;
    assert.is(await stored(), copies);
    await proxy.close();
  }
});

test("a message is sent again once, however often the server refuses the client before", async () => {
  const stream = await newStream();
  const proxy = await proxied();
  const output = natsJetstreamOutput({ urls: proxy.urls, subject: `${stream}.a` });
  await output.start(componentContext());
  const stored = async () => (await manager.streams.info(stream)).state.messages;
  proxy.mute();
  const write = output.write(batchOf("once"));
  await until(async () => (await stored()) === 1);
  let refused = 0;
  proxy.onSent((bytes) => {
    if (refused === 2 || !bytes.includes("CONNECT ")) return;
    refused += 1;
    proxy.garble(() => Buffer.from("-ERR 'Authorization Violation'\r\n"));
  });
  proxy.reset();
  await write;
  await output.close();
  assert.equal([refused, await stored()], [2, 2]);
  await proxy.close();
});

test.run();
