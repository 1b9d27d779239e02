import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import type { Protection } from "../../../runtime/protection.ts";
import { messageRateLimit } from "../../../runtime/protections/message-limits.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";
import { callers, sessionOf } from "./sessions.ts";

/** Milliseconds; so long that no allowance is renewed while a test runs. */
const day = 86_400_000;

const letters = [..."abcdefghijklmnopqrstuvwxyz"];

async function taking(protections: readonly Protection[]) {
  const output = memoryOutput();
  const api = ordersApi({
    plain: () => ({ input: httpServerInput({ ws_path: "/in" }), output }),
    server: () => ({ input: websocketServerInput({ path: "/server" }), output }),
  });
  const gateway = await startGateway([{ ...api, protections: () => protections }]);
  return { ...gateway, url: `${gateway.url}/orders`, output };
}

test("no more of a client's messages are forwarded than its rate allows, in order", async () => {
  const limit = messageRateLimit({ enabled: true, fromClient: { rate: 3, per: day } });
  for (const path of ["/in", "/server"]) {
    const gateway = await taking([limit]);
    const client = await socket(gateway.url + path);
    for (const letter of letters) await client.send(letter);
    await until(() => gateway.output.texts.length >= 3);
    // The ping follows the frames, so its pong proves that all of them were read.
    const pong = new Promise((resolve) => client.socket.once("pong", resolve));
    client.socket.ping();
    await pong;
    assert.equal(gateway.output.texts, ["a", "b", "c"]);

    const another = await socket(gateway.url + path);
    await another.send("z");
    await until(() => gateway.output.texts.includes("z"), { what: "a message of another connection" });
    await gateway.close();
    assert.is((await client.ended).code, 1001);
    assert.equal(gateway.output.texts, ["a", "b", "c", "z"]);
  }
});

test("a socket is read again once its messages have been forwarded", async () => {
  const gateway = await taking([messageRateLimit({ enabled: true, fromClient: { rate: 100, per: 10 } })]);
  const client = await socket(`${gateway.url}/in`);
  const sent = Array.from({ length: 500 }, (_, index) => String(index));
  await Promise.all(sent.map((each) => client.send(each)));
  await until(() => gateway.output.texts.length === sent.length);
  assert.equal(gateway.output.texts, sent);
  await gateway.close();
});

test("whenExceeded `close` closes a client that sends too fast with 1008", async () => {
  const limit = messageRateLimit({
    enabled: true,
    fromClient: { rate: 3, per: day },
    whenExceeded: "close",
  });
  const gateway = await taking([limit]);
  const client = await socket(`${gateway.url}/in`);
  for (const letter of letters) client.socket.send(letter);
  assert.equal(await client.ended, { code: 1008, reason: "too many messages" });
  await until(() => gateway.output.texts.length >= 3);
  assert.equal(gateway.output.texts, ["a", "b", "c"]);
  await gateway.close();
});

async function giving(protections: readonly Protection[]) {
  const input = manualInput();
  const output = () => httpServerOutput({ stream_path: "/events", ws_path: "/socket" });
  const api = ordersApi({ out: () => ({ input, output: output() }) });
  const gateway = await startGateway([{ ...api, protections: () => protections }]);
  return { ...gateway, url: `${gateway.url}/orders`, input };
}

test("a client receives no more than its rate; further messages go to others", async () => {
  const gateway = await giving([messageRateLimit({ enabled: true, toClient: { rate: 2, per: day } })]);
  const [first, second] = [await sse(`${gateway.url}/events`), await socket(`${gateway.url}/socket`)];
  await Promise.all(["a", "b", "c", "d"].map((each) => gateway.input.deliver(each)));
  const waiting = gateway.input.deliver("e");
  const got = [...(await first.take(2)), ...(await second.take(2))];
  assert.equal(got.map(String).toSorted(), ["a", "b", "c", "d"]);
  const third = await sse(`${gateway.url}/events`);
  assert.is((await third.next()).data, "e");
  await waiting;
  assert.is(first.events.length, 2);
  assert.is(second.messages.length, 2);
  for (const each of [first, second, third]) await each.close();
  await gateway.close();
});

test("a key has its own limits, and those of its right to an API take precedence", async () => {
  const messages = (rate: number) => ({ messages: { toClient: { rate, per: day / 1000 } } });
  const sessions = {
    one: sessionOf({ limits: messages(1) }),
    two: sessionOf({ limits: messages(1), rights: new Map([["orders", { limits: messages(2) }]]) }),
  };
  const gateway = await giving([callers(sessions), messageRateLimit({})]);
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) => sse(`${gateway.url}/events`, { headers: { "x-caller": name } })),
  );
  assert.ok(one && two);
  const deliveries = ["a", "b", "c", "d"].map((each) => gateway.input.deliver(each));
  await Promise.all([one.take(1), two.take(2)]);
  const free = await sse(`${gateway.url}/events`);
  assert.is((await free.next()).data, "d");
  await Promise.all(deliveries);
  assert.is(one.events.length, 1);
  for (const each of [one, two, free]) each.close();
  await gateway.close();
});

test.run();
