import { test } from "uvu";
import * as assert from "uvu/assert";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { websocketServerOutput } from "../../../runtime/connectors/websocket-server/output.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { type ManualInput, manualInput, memoryOutput } from "../gateway/components.ts";
import { type DeployedStream, deployed, liveGateway, mark, stateOf } from "./deployment.ts";

/** Returns a stream to clients of both kinds, each of which receives every message. */
function toClients(
  input: ManualInput,
  version: number,
  digests: DeployedStream["digests"] = {},
  path = "/out",
) {
  return {
    make: () => ({
      input,
      output: httpServerOutput({ path, distribution: broadcast, heartbeat: 60_000 + version }),
      pipeline: [mark(version)],
    }),
    digests,
  };
}

test("clients stay connected when the pipeline, the input, or an output of the same shape changes", async () => {
  const input = manualInput();
  const { gateway, live } = await liveGateway([deployed({ s: toClients(input, 1) })]);
  const [events, frames] = [
    await sse(`${gateway.url}/orders/out`),
    await socket(`${gateway.url}/orders/out`),
  ];
  await input.deliver("a");
  await live.apply([deployed({ s: toClients(input, 2, { pipeline: "2" }) })]);
  await input.deliver("b");
  const other = manualInput();
  await live.apply([deployed({ s: toClients(other, 3, { pipeline: "2", input: "3" }) })]);
  await other.deliver("c");
  assert.ok(input.closes > 0);
  await live.apply([deployed({ s: toClients(other, 4, { pipeline: "4", input: "3", output: "4" }) })]);
  await other.deliver("d");
  const latecomer = await sse(`${gateway.url}/orders/out`);
  await other.deliver("e");
  const all = ["a-1", "b-2", "c-2", "d-4", "e-4"];
  assert.equal(await events.take(5), all);
  assert.equal(await frames.take(5), all);
  assert.equal(await latecomer.take(1), ["e-4"]);
  assert.is(stateOf(gateway)?.clients, 3);
  await gateway.close();
  await events.ended;
  assert.is((await frames.ended).code, 1001);
});

test("a message waiting for a client is delivered after the output changes", async () => {
  const input = { ...manualInput(), endpoints: [] };
  const make = () => ({ input, output: httpServerOutput({ path: "/out" }), pipeline: [mark(1)] });
  const served = manualInput();
  const held = Object.assign(Object.create(served) as ManualInput, {
    start: served.start,
    close: served.close,
    deliver: served.deliver,
    // An input with routes does not wait for clients.
    endpoints: [{ transport: "http", verbs: ["PUT"], path: "/in", handle: async () => undefined }],
    isServer: true,
  });
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ ...make(), input: held }) })]);
  const delivery = held.deliver("a");
  await until(() => stateOf(gateway)?.messages.inFlight === 1);
  await live.apply([deployed({ s: { make: () => ({ ...make(), input: held }), digests: { output: "2" } } })]);
  const client = await sse(`${gateway.url}/orders/out`);
  assert.equal(await client.take(1), ["a-1"]);
  await delivery;
  assert.is(stateOf(gateway)?.messages.delivered, 1);
  await gateway.close();
});

test("if the output changes shape, clients are asked to reconnect once the new routes exist", async () => {
  const input = manualInput();
  const { gateway, live } = await liveGateway([deployed({ s: toClients(input, 1) })]);
  const [events, frames] = [
    await sse(`${gateway.url}/orders/out`),
    await socket(`${gateway.url}/orders/out`),
  ];
  await live.apply([deployed({ s: toClients(input, 2, { output: "2", shape: "2" }, "/other") })]);
  await events.ended;
  assert.is((await frames.ended).code, 1012);
  assert.is((await fetch(`${gateway.url}/orders/out`)).status, 404);
  const client = await sse(`${gateway.url}/orders/other`);
  await input.deliver("a");
  assert.equal(await client.take(1), ["a-2"]);
  await gateway.close();
});

test("clients of nested outputs stay connected", async () => {
  const input = manualInput();
  const version = (number: number) => ({
    make: () => ({
      input,
      output: brokerOutput({
        pattern: "fan_out",
        outputs: [
          httpServerOutput({ path: "/events", heartbeat: number }),
          websocketServerOutput({ path: "/frames" }),
        ],
      }),
      pipeline: [mark(number)],
    }),
    digests: { output: `${number}`, pipeline: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(1) })]);
  const [events, frames] = [
    await sse(`${gateway.url}/orders/events`),
    await socket(`${gateway.url}/orders/frames`),
  ];
  await input.deliver("a");
  await live.apply([deployed({ s: version(2) })]);
  await input.deliver("b");
  assert.equal(
    [await events.take(2), await frames.take(2)],
    [
      ["a-1", "b-2"],
      ["a-1", "b-2"],
    ],
  );
  await gateway.close();
});

test("an output with clients may change to one without, and back", async () => {
  const input = manualInput();
  const { gateway, live } = await liveGateway([deployed({ s: toClients(input, 1) })]);
  const events = await sse(`${gateway.url}/orders/out`);
  await input.deliver("a");
  const output = memoryOutput();
  await live.apply([
    deployed({ s: { make: () => ({ input, output }), digests: { output: "2", shape: "2" } } }),
  ]);
  await events.ended;
  await input.deliver("b");
  assert.equal(output.texts, ["b"]);
  await live.apply([deployed({ s: toClients(input, 3) })]);
  // No client is connected: the input stops until one connects.
  await until(() => stateOf(gateway)?.status === "waiting");
  const back = await sse(`${gateway.url}/orders/out`);
  await until(() => stateOf(gateway)?.status === "running");
  await input.deliver("c");
  assert.equal(await back.take(1), ["c-3"]);
  await gateway.close();
});

test("a deployment does not start an input that waits for a client; the first client starts the new one", async () => {
  const inputs = [manualInput(), manualInput()] as const;
  const { gateway, live } = await liveGateway([deployed({ s: toClients(inputs[0], 1) })]);
  assert.is(stateOf(gateway)?.status, "waiting");
  const outcome = await live.apply([deployed({ s: toClients(inputs[1], 2, { input: "2", pipeline: "2" }) })]);
  assert.equal(outcome, [{ api: "orders", outcome: "applied" }]);
  assert.equal([inputs[0].starts, inputs[1].starts], [0, 0]);
  const client = await sse(`${gateway.url}/orders/out`);
  await inputs[1].deliver("a");
  assert.equal(await client.take(1), ["a-2"]);
  assert.is(inputs[0].starts, 0);
  await gateway.close();
});

test("after a failed deployment, clients belong to the previous version", async () => {
  const input = manualInput();
  const other = manualInput();
  const { gateway, live } = await liveGateway([
    deployed({ s: toClients(input, 1), t: () => ({ input: other, output: memoryOutput() }) }),
  ]);
  const events = await sse(`${gateway.url}/orders/out`);
  const broken = manualInput(() => {
    throw new Error("no");
  });
  const [outcome] = await live.apply([
    deployed({
      s: toClients(input, 2, { output: "2", pipeline: "2" }),
      t: { make: () => ({ input: broken, output: memoryOutput() }), digests: { input: "2" } },
    }),
  ]);
  assert.equal(outcome, { api: "orders", outcome: "rolled back", reason: "Internal error" });
  await input.deliver("a");
  assert.equal(await events.take(1), ["a-1"]);
  assert.is(stateOf(gateway)?.clients, 1);
  const latecomer = await sse(`${gateway.url}/orders/out`);
  await input.deliver("b");
  assert.equal([await events.take(1), await latecomer.take(1)], [["b-1"], ["b-1"]]);
  await gateway.close();
});

test.run();
