import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Protection } from "../../../runtime/protection.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { httpServer } from "../../harness/http-server.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import { type DeployedParts, deployed, liveGateway, mark, stateOf } from "./deployment.ts";

/** Returns an API whose stream accepts requests at `/new`. */
function intake(parts: DeployedParts = {}, version = "1") {
  const output = memoryOutput();
  const api = deployed(
    {
      s: {
        make: () => ({ input: httpServerInput({ path: "/new" }), output, pipeline: [mark(version)] }),
        digests: { pipeline: version },
      },
    },
    parts,
  );
  return { api, output };
}

const post = async (url: string) => (await fetch(url, { method: "POST", body: "a" })).status;

test("APIs are added and removed", async () => {
  const { gateway, live } = await liveGateway();
  assert.is(await post(`${gateway.url}/orders/new`), 404);
  const [orders, items] = [intake(), intake({ id: "items", listenPath: "/items/" })];
  assert.equal(await live.apply([orders.api, items.api]), [
    { api: "orders", outcome: "applied" },
    { api: "items", outcome: "applied" },
  ]);
  assert.equal([await post(`${gateway.url}/orders/new`), await post(`${gateway.url}/items/new`)], [200, 200]);
  assert.equal(
    gateway.parts.apis.all.map(({ prepared }) => prepared.definition.id),
    ["orders", "items"],
  );
  assert.equal(await live.apply([items.api]), [
    { api: "items", outcome: "unchanged" },
    { api: "orders", outcome: "removed" },
  ]);
  assert.equal([await post(`${gateway.url}/orders/new`), await post(`${gateway.url}/items/new`)], [404, 200]);
  await until(() => gateway.streams.states().every(({ api }) => api === "items"));
  await live.apply([orders.api]);
  assert.equal([await post(`${gateway.url}/orders/new`), await post(`${gateway.url}/items/new`)], [200, 404]);
  await gateway.close();
});

test("a removed stream loses its routes and ends its clients; another stream may take its path", async () => {
  const out = (name: string) => () => ({
    input: manualInput(),
    output: httpServerOutput({ path: `/${name}` }),
  });
  const { gateway, live } = await liveGateway([deployed({ a: out("a"), b: out("b") })]);
  const client = await sse(`${gateway.url}/orders/a`);
  await live.apply([deployed({ b: out("b"), c: out("a") })]);
  await client.ended;
  (await sse(`${gateway.url}/orders/a`)).close();
  await until(() => stateOf(gateway, "a") === undefined);
  assert.is(stateOf(gateway, "c")?.status !== undefined, true);
  await gateway.close();
});

test("an API that cannot be served is rolled back with a reason, and the other APIs are applied", async () => {
  const { gateway, live } = await liveGateway([
    intake().api,
    intake({ id: "other", listenPath: "/other/" }).api,
  ]);
  const clash = intake({ listenPath: "/other/" });
  const items = intake({ id: "items", listenPath: "/items/" });
  const other = intake({ id: "other", listenPath: "/other/" }, "2");
  const outcomes = await live.apply([clash.api, other.api, items.api]);
  assert.equal(
    outcomes.map(({ outcome }) => outcome),
    ["rolled back", "applied", "applied"],
  );
  assert.match(outcomes[0]?.reason ?? "", /two APIs listen at \/other\//);
  assert.equal([await post(`${gateway.url}/orders/new`), await post(`${gateway.url}/items/new`)], [200, 200]);
  const lacking = deployed({
    s: (env) => ({ input: httpServerInput({ path: env.text("WHERE") }), output: memoryOutput() }),
  });
  const [refused] = await live.apply([lacking, other.api, items.api]);
  assert.equal(refused, { api: "orders", outcome: "rolled back", reason: "WHERE is not set" });
  const guarded = intake({
    protections: () => [
      {
        place: "authentication",
        start() {
          throw new GatewayError(502, "The keys cannot be read");
        },
      },
    ],
  });
  const [unguarded] = await live.apply([guarded.api, other.api, items.api]);
  assert.is(unguarded?.reason, "The keys cannot be read");
  assert.is(await post(`${gateway.url}/orders/new`), 200);
  await gateway.close();
});

test("APIs may take the paths of APIs that the same deployment moves, in any order and in a circle", async () => {
  const at = (path: string, id: string) => intake({ id, listenPath: `/${path}/` }, path).api;
  const { gateway, live } = await liveGateway([at("a", "one"), at("b", "two")]);
  const applied = ["one", "two"].map((api) => ({ api, outcome: "applied" }));
  assert.equal(await live.apply([at("b", "one"), at("c", "two")]), applied);
  assert.equal(
    await Promise.all(["a", "b", "c"].map((path) => post(`${gateway.url}/${path}/new`))),
    [404, 200, 200],
  );
  assert.equal(await live.apply([at("c", "one"), at("b", "two")]), applied);
  const routed = gateway.parts.apis.all.map(({ prepared }) => [
    prepared.definition.id,
    prepared.definition.listenPath,
  ]);
  assert.equal(routed, [
    ["one", "/c/"],
    ["two", "/b/"],
  ]);
  const outcomes = await live.apply([at("b", "one"), at("c", "two"), at("b", "three")]);
  assert.equal(
    outcomes.map(({ outcome }) => outcome),
    ["rolled back", "rolled back", "rolled back"],
  );
  assert.equal(await Promise.all(["b", "c"].map((path) => post(`${gateway.url}/${path}/new`))), [200, 200]);
  await gateway.close();
});

test("an API may take the path of an API that the same deployment removes", async () => {
  const { gateway, live } = await liveGateway([intake().api]);
  const heir = intake({ id: "heir", listenPath: "/orders/" });
  assert.equal(await live.apply([heir.api]), [
    { api: "heir", outcome: "applied" },
    { api: "orders", outcome: "removed" },
  ]);
  assert.is(await post(`${gateway.url}/orders/new`), 200);
  assert.equal(heir.output.texts, ["a-1"]);
  await gateway.close();
});

test("a new API whose broker is unavailable is added, and its input retries", async () => {
  let away = true;
  const input = () =>
    manualInput(() => {
      if (away) throw new GatewayError(503, "Broker is away");
    });
  const { gateway, live } = await liveGateway();
  const outcome = await live.apply([deployed({ s: () => ({ input: input(), output: memoryOutput() }) })]);
  assert.equal(outcome, [{ api: "orders", outcome: "applied" }]);
  await until(() => stateOf(gateway)?.status === "failed");
  const added = deployed({
    s: () => ({ input: input(), output: memoryOutput() }),
    t: () => ({ input: input(), output: memoryOutput() }),
  });
  assert.equal(await live.apply([added]), [
    { api: "orders", outcome: "rolled back", reason: "Broker is away" },
  ]);
  assert.is(stateOf(gateway, "t"), undefined);
  away = false;
  await until(() => stateOf(gateway)?.status === "running");
  await gateway.close();
});

test("a request ends under the protections and upstream it started with, which close after it", async () => {
  const events: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const guard = (version: string): Protection => ({
    place: "authentication",
    start: () => ({
      async check(call) {
        events.push(`${version} asked`);
        if (call.query === "?held") {
          arrived.resolve();
          await held.promise;
        }
        return "next" as const;
      },
      async close() {
        events.push(`${version} closed`);
      },
    }),
  });
  const servers = await Promise.all(["one", "two"].map((name) => httpServer(() => ({ body: name }))));
  const version = (name: string, index: number) =>
    deployed(
      {},
      {
        protections: () => [guard(name)],
        upstream: () => proxyTo({ url: servers[index]?.url ?? "" }),
      },
    );
  const { gateway, live } = await liveGateway([version("one", 0)]);
  const before = fetch(`${gateway.url}/orders/?held`).then((response) => response.text());
  await arrived.promise;
  await live.apply([version("two", 1)]);
  assert.is(await (await fetch(`${gateway.url}/orders/`)).text(), "two");
  assert.equal(events, ["one asked", "two asked"]);
  held.resolve();
  assert.is(await before, "one");
  await until(() => events.includes("one closed"));
  await gateway.close();
  assert.equal(events, ["one asked", "two asked", "one closed", "two closed"]);
  for (const server of servers) await server.close();
});

test("a request delayed by its protections is served by the current version of the stream", async () => {
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const protections = () => [
    {
      place: "authentication" as const,
      start: () => ({
        async check() {
          arrived.resolve();
          await held.promise;
          return "next" as const;
        },
      }),
    },
  ];
  const output = memoryOutput();
  const version = (number: string) =>
    deployed(
      {
        s: {
          make: () => ({ input: httpServerInput({ path: "/new" }), output, pipeline: [mark(number)] }),
          digests: { input: number, pipeline: number },
        },
      },
      { protections },
    );
  const { gateway, live } = await liveGateway([version("1")]);
  const status = post(`${gateway.url}/orders/new`);
  await arrived.promise;
  await live.apply([version("2")]);
  held.resolve();
  assert.is(await status, 200);
  assert.equal(output.texts, ["a-2"]);
  await gateway.close();
});

test("deployments are applied one after another", async () => {
  const { gateway, live } = await liveGateway();
  const versions = ["1", "2", "3", "4"].map((version) => intake({}, version));
  const outcomes = await Promise.all(versions.map(({ api }) => live.apply([api])));
  assert.equal(
    outcomes.flat().map(({ outcome }) => outcome),
    ["applied", "applied", "applied", "applied"],
  );
  assert.is(await post(`${gateway.url}/orders/new`), 200);
  assert.equal(versions[0]?.output.texts, ["a-4"], "the output has been the same all the time");
  await gateway.close();
});

test.run();
