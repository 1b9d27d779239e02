// How many frames of WebSockets an input takes.

import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered } from "../../../runtime/component/component.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import { inputWithBatching, outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { until } from "../../harness/wait.ts";
import { connectionOf, socket } from "../../harness/websocket-client.ts";
import { memoryOutput, textOf } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";
import { deployed, liveGateway } from "../live/deployment.ts";

const test = suite("limits of frames");

async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
}

test("a replaced input closes although its clients never stop to send", async () => {
  let written = 0;
  const output = memoryOutput(async () => {
    written += 1;
    await pause(5);
    return {};
  });
  const version = (number: number) => ({
    make: () => ({ input: websocketServerInput({ path: "/in", welcome_message: `${number}` }), output }),
    digests: { input: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(1) })]);
  const client = await socket(`${gateway.url}/orders/in`);
  let isOpen = true;
  const sending = (async () => {
    for (; isOpen; await new Promise(setImmediate)) {
      if (client.socket.bufferedAmount > 1_000_000) continue;
      for (let count = 0; count < 200; count += 1) client.socket.send("x".repeat(500));
    }
  })();
  void client.ended.then(() => {
    isOpen = false;
  });
  await until(() => written > 1000);
  await live.apply([deployed({ s: version(2) })]);
  assert.is((await client.ended).code, 1012);
  await sending;
  await gateway.close();
});

for (const place of ["input", "output"] as const) {
  for (const count of [100, 1500]) {
    test(`the ${place} collects batches of ${count} frames from one socket`, async () => {
      const sizes: number[] = [];
      const output = memoryOutput((batch) => {
        sizes.push(batch.length);
        return {};
      });
      const input = websocketServerInput({ path: "/in" });
      const gateway = await startGateway([
        ordersApi({
          intake: () =>
            place === "input"
              ? { input: inputWithBatching(input, { count }), output }
              : { input, output: outputWithBatching(output, { count }) },
        }),
      ]);
      await until(() => gateway.streams.unready().length === 0);
      const client = await socket(`${gateway.url}/orders/in`);
      for (let sent = 0; sent < 2 * count; sent += 1) {
        await client.send(`${sent}`);
        await new Promise(setImmediate); // each frame arrives alone
      }
      await until(() => sizes.length === 2);
      assert.equal(sizes, [count, count]);
      await gateway.close();
    });
  }
}

test("the room of a frame is not taken while the input has too many", async () => {
  const first = Promise.withResolvers<Delivered>();
  const confirmed = Promise.withResolvers<Delivered>();
  const output = memoryOutput(
    ([message]) => (message && textOf(message) === "first" ? first : confirmed).promise,
  );
  const gateway = await startGateway([
    ordersApi({ intake: () => ({ input: websocketServerInput({ path: "/in" }), output }) }),
  ]);
  await until(() => gateway.streams.unready().length === 0);
  const clients = await Promise.all(Array.from({ length: 40 }, () => socket(`${gateway.url}/orders/in`)));
  const send = (count: number) => {
    for (const client of clients) {
      const connection = connectionOf(client);
      connection.cork();
      for (let sent = 0; sent < count; sent += 1) client.socket.send("more");
      connection.uncork();
    }
  };
  for (const client of clients) await client.send("first");
  send(24);
  await until(() => output.batches.length === 1000);
  send(10); // each socket is read until it brings frames that are too many, which is so from the third on
  await until(() => output.batches.length === 1400);
  send(10);
  await until(() => output.batches.length === 1420);
  first.resolve({});
  await turns();
  assert.is(output.batches.length, 1420);
  confirmed.resolve({});
  await until(() => output.batches.length === 1800);
  await gateway.close();
});

test("a socket that opens after its input was closed is asked to reconnect", async () => {
  const input = websocketServerInput({ path: "/in" });
  const output = memoryOutput();
  const gateway = await startGateway([ordersApi({ intake: () => ({ input, output }) })]);
  await until(() => gateway.streams.unready().length === 0);
  await input.close();
  const late = await socket(`${gateway.url}/orders/in`);
  assert.is((await late.ended).code, 1012);
  await gateway.close();
});

test.run();
