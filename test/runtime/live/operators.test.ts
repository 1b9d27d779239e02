import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { perRequest } from "../../../runtime/stream/instances/stream-instances.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import { type DeployedParts, deployed, liveGateway, mark, stateOf } from "./deployment.ts";

function intake(output: ReturnType<typeof memoryOutput>, parts: DeployedParts = {}, version = "1") {
  return deployed(
    {
      s: {
        make: () => ({ input: httpServerInput({ path: "/new" }), output, pipeline: [mark(version)] }),
        digests: { pipeline: version },
      },
    },
    parts,
  );
}

const post = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(`${url}/orders/new`, { method: "POST", body: "a", headers })).status;

test("a deployment stops, starts and restarts streams, and leaves unchanged streams alone", async () => {
  const output = memoryOutput();
  const { gateway, live } = await liveGateway([intake(output, { stopped: ["s"] })]);
  assert.equal([stateOf(gateway)?.status, await post(gateway.url)], ["stopped", 503]);
  assert.equal(gateway.health().unready, [], "what an operator stopped is no reason to take the gateway out");
  // If a stopped stream gets another version, that version is the one that starts.
  await live.apply([intake(output, { stopped: ["s"] }, "2")]);
  assert.is(await post(gateway.url), 503);
  await live.apply([intake(output, {}, "2")]);
  await until(async () => (await post(gateway.url)) === 200);
  assert.equal(output.texts, ["a-2"]);
  const closes = output.closes;
  await live.apply([intake(output, { restarts: { s: 1 } }, "2")]);
  await until(() => stateOf(gateway)?.status === "running");
  assert.is(output.closes, closes + 1);
  assert.is(stateOf(gateway)?.messages.delivered, 1, "counters go on");
  await live.apply([intake(output, { restarts: { s: 1 } }, "2")]);
  assert.is(output.closes, closes + 1);
  await gateway.close();
});

test("an operator stops, starts and restarts one stream; an unrelated deployment does not affect that", async () => {
  const output = memoryOutput();
  const { gateway, live } = await liveGateway([intake(output)]);
  assert.is(await post(gateway.url), 200);
  await live.stopStream("orders", "s");
  assert.equal([stateOf(gateway)?.status, await post(gateway.url)], ["stopped", 503]);
  await live.apply([intake(output, {}, "2")]);
  assert.is(stateOf(gateway)?.status, "stopped");
  await live.startStream("orders", "s");
  await until(async () => (await post(gateway.url)) === 200);
  assert.equal(output.texts, ["a-1", "a-2"]);
  await live.restartStream("orders", "s");
  await until(async () => (await post(gateway.url)) === 200);
  assert.is(stateOf(gateway)?.messages.delivered, 3);
  await live.stopStream("orders", "none");
  await gateway.close();
});

test("requests get an instance of the new version after the previous instance with the same values has closed", async () => {
  const events: string[] = [];
  const version = (number: number) => ({
    make: perRequest(["context.headers_X_Tenant"], (_, request) => ({
      input: {
        ...manualInput(() => void events.push(`${number} of ${request.text("context.headers_X_Tenant")}`)),
        async close() {
          events.push(`${number} closes`);
        },
      },
      output: httpServerOutput({ path: "/out" }),
    })),
    digests: { pipeline: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(1) })], {
    limits: { stream_instance_idle: 3_600_000 },
  });
  const connect = () => sse(`${gateway.url}/orders/out`, { headers: { "x-tenant": "a" } });
  const first = await connect();
  await until(() => events.length === 1);
  await live.apply([deployed({ s: version(2) })]);
  await first.ended;
  await connect();
  await until(() => events.includes("2 of a"));
  assert.equal(events.filter((each) => !each.startsWith("2 closes")).slice(0, 1), ["1 of a"]);
  assert.ok(events.indexOf("1 closes") < events.indexOf("2 of a"));
  await gateway.close();
});

test("a stream may gain instances, and lose them", async () => {
  const output = memoryOutput();
  const shared = intake(output);
  const instanced = deployed({
    s: {
      make: perRequest(["context.headers_X_Tenant"], (_, request) => ({
        input: httpServerInput({ path: "/new" }),
        output,
        pipeline: [mark(request.text("context.headers_X_Tenant"))],
      })),
      digests: { pipeline: "instances" },
    },
  });
  const { gateway, live } = await liveGateway([shared]);
  assert.is(await post(gateway.url), 200);
  await live.apply([instanced]);
  assert.is(await post(gateway.url, { "x-tenant": "b" }), 200);
  await live.apply([shared]);
  assert.is(await post(gateway.url), 200);
  assert.equal(output.texts, ["a-1", "a-b", "a-1"]);
  await gateway.close();
});

test.run();
