import { test } from "uvu";
import * as assert from "uvu/assert";
import type { StreamParts } from "../../../runtime/component/component.ts";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { plainHttpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import type { ApiDefinition } from "../../../runtime/gateway.ts";
import type { RequestValues } from "../../../runtime/stream/instances/request-values.ts";
import { perRequest } from "../../../runtime/stream/instances/stream-instances.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput } from "./components.ts";
import { startGateway, type TestGateway } from "./start-gateway.ts";

const tenant = "context.headers_X_Tenant";

/** The parts made for each tenant, in order, without those that were made only to learn the routes. */
interface Made<T> {
  readonly tenant: string;
  readonly part: T;
}

function api(variables: readonly string[], create: (request: RequestValues) => StreamParts): ApiDefinition {
  return {
    id: "orders",
    listenPath: "/",
    streams: { orders: perRequest(variables, (_env, request) => create(request)) },
  };
}

/** Returns an API that accepts POST requests. `made` contains what each instance received. */
function producers(made: Made<MemoryOutput>[], variables = [tenant]): ApiDefinition {
  return api(variables, (request) => {
    const part = memoryOutput();
    made.push({ tenant: request.text(tenant), part });
    return { input: plainHttpServerInput({ path: "/orders" }), output: part };
  });
}

/** Returns an API that streams to clients. `made` contains the input of each instance. */
function consumers(made: Made<ManualInput>[]): ApiDefinition {
  return api([tenant], (request) => {
    const part = manualInput();
    made.push({ tenant: request.text(tenant), part });
    return { input: part, output: plainHttpServerOutput({ stream_path: "/orders" }) };
  });
}

function post(gateway: TestGateway, name: string | undefined, body = "order"): Promise<Response> {
  const headers = name === undefined ? {} : { "x-tenant": name };
  return fetch(`${gateway.url}/orders`, { method: "POST", body, headers });
}

function running(gateway: TestGateway): readonly (number | undefined)[] {
  return gateway.streams.states().map(({ instance }) => instance);
}

test("each set of values has its own instance, created once", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)]);
  assert.equal(running(gateway), [], "none before the first request");
  for (const name of ["a", "b", "a"]) assert.is((await post(gateway, name, name)).status, 200);
  const used = made.slice(1);
  assert.equal(
    used.map(({ tenant, part }) => [tenant, part.texts]),
    [
      ["a", ["a", "a"]],
      ["b", ["b"]],
    ],
  );
  assert.equal(running(gateway), [1, 2]);
  assert.equal(gateway.streams.unready(), []);
  await gateway.close();
  assert.equal(
    used.map(({ part }) => part.closes > 0),
    [true, true],
  );
});

test("concurrent requests for new values share one instance", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(gateway, "a")));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.is(made.length, 2);
  await gateway.close();
});

test("a request with a missing or empty value is rejected", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)]);
  for (const name of [undefined, ""]) {
    const answer = await post(gateway, name);
    assert.equal([answer.status, await answer.json()], [400, { error: "The header X-Tenant is missing" }]);
  }
  assert.equal(running(gateway), []);
  await gateway.close();
});

test("a missing value of a credential is rejected with 401", async () => {
  const gateway = await startGateway([producers([], ["context.jwt_claims_sub"])]);
  const answer = await post(gateway, "a");
  assert.equal([answer.status, await answer.json()], [401, { error: "The claim sub is missing" }]);
  await gateway.close();
});

test("a value that does not fit its field is rejected and creates no instance", async () => {
  const gateway = await startGateway([
    api([tenant], (request) => {
      request.integer(tenant);
      return { input: plainHttpServerInput({ path: "/orders" }), output: memoryOutput() };
    }),
  ]);
  assert.is((await post(gateway, "12")).status, 200);
  const answer = await post(gateway, '12, "topics": ["secrets"]');
  assert.equal(
    [answer.status, await answer.json()],
    [400, { error: "The header X-Tenant does not read as an integer" }],
  );
  assert.equal(running(gateway), [1]);
  await gateway.close();
});

test("values are never interpreted, for any content", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)]);
  const names = ["__proto__", "constructor", 'http://x/","kafka":{', "${HOME}", "a,b"];
  for (const name of names) assert.is((await post(gateway, name)).status, 200);
  assert.equal(
    made.slice(1).map(({ tenant }) => tenant),
    names,
  );
  await gateway.close();
});

test("values of different parameters do not run together", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made, [tenant, "context.request_data_room"])]);
  const ask = (name: string, room: string) =>
    fetch(`${gateway.url}/orders?room=${encodeURIComponent(room)}`, {
      method: "POST",
      body: "order",
      headers: { "x-tenant": name },
    });
  await ask('a","b', "c");
  await ask("a", 'b","c');
  assert.equal(running(gateway), [1, 2]);
  await gateway.close();
});

test("an idle instance is stopped, and created again for the next request", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)], {
    limits: { max_stream_instances: 5, stream_instance_idle: 1 },
  });
  await post(gateway, "a");
  await until(() => running(gateway).length === 0);
  assert.is(made[1]?.part.closes, 1);
  await post(gateway, "a");
  assert.is(made.length, 3);
  await gateway.close();
});

test("an instance stays while a client is connected, and stops afterwards", async () => {
  const made: Made<ManualInput>[] = [];
  const gateway = await startGateway([consumers(made)], {
    limits: { max_stream_instances: 5, stream_instance_idle: 1 },
  });
  const client = await sse(`${gateway.url}/orders`, { headers: { "x-tenant": "a" } });
  const other = await sse(`${gateway.url}/orders`, { headers: { "x-tenant": "b" } });
  await until(() => made.length === 3);
  await made[1]?.part.deliver("for a");
  await made[2]?.part.deliver("for b");
  await until(() => client.events.length + other.events.length === 2);
  assert.equal([client.events[0]?.data, other.events[0]?.data], ["for a", "for b"]);
  other.close();
  await until(() => running(gateway).length === 1);
  assert.equal(running(gateway), [1]);
  client.close();
  await until(() => running(gateway).length === 0);
  await gateway.close();
});

test("above the limit an idle instance is replaced; if all are in use the request gets 503 immediately", async () => {
  const made: Made<ManualInput>[] = [];
  const gateway = await startGateway([consumers(made)], {
    limits: { max_stream_instances: 1, stream_instance_idle: 3_600_000 },
  });
  const client = await sse(`${gateway.url}/orders`, { headers: { "x-tenant": "a" } });
  const refused = await fetch(`${gateway.url}/orders`, { headers: { "x-tenant": "b" } });
  assert.equal([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  client.close();
  await until(async () => {
    const answer = await fetch(`${gateway.url}/orders`, { headers: { "x-tenant": "b" } });
    await answer.body?.cancel();
    return answer.status === 200;
  });
  assert.equal(
    made.slice(1).map(({ tenant }) => tenant),
    ["a", "b"],
  );
  await gateway.close();
});

test("values appear neither in logs nor on admin pages", async () => {
  const made: Made<MemoryOutput>[] = [];
  const gateway = await startGateway([producers(made)]);
  await post(gateway, "alice-from-acme");
  const page = await (await fetch(`${gateway.admin}/streams`)).text();
  await gateway.close();
  assert.not.match(page + JSON.stringify(gateway.lines), /alice/);
});

test.run();
