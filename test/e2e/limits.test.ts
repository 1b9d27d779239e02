import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServer } from "../harness/http-server.ts";
import { type SseClient, sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { socket } from "../harness/websocket-client.ts";
import type { BuiltGateway } from "./gateway.ts";
import { callTimes, keyNames, startLimited, tally } from "./limited.ts";

const { rate, quota, free } = keyNames;

const ticks = (gateway: BuiltGateway): Promise<SseClient> =>
  sse(`${gateway.url}/orders/ticks`, { headers: { "x-api-key": free } });

for (const workers of ["1", "3"]) {
  test(`limits apply to a gateway of ${workers} as a whole`, async () => {
    const backend = await httpServer();
    const gateway = await startLimited(backend.url, { GW_WORKERS: workers });
    assert.equal(tally(await callTimes(gateway, 9, rate)), { 200: 5, 429: 4 });
    assert.equal(tally(await callTimes(gateway, 6, quota)), { 200: 3, 403: 3 });
    assert.equal(tally(await callTimes(gateway, 9, free)), { 200: 9 });
    assert.is(backend.requests.length, 17, "what is refused goes nowhere");

    const url = `${gateway.url}/orders/new`;
    const large = await fetch(url, {
      method: "POST",
      body: "a".repeat(101),
      headers: { "x-api-key": free },
    });
    assert.is(large.status, 413);

    // After these two, the API has two of its 20 requests left.
    const client = await socket(`${gateway.url}/orders/in`, { headers: { "x-api-key": free } });
    for (const each of ["1", "2", "3"]) client.socket.send(each);
    assert.equal(await client.ended, { code: 1008, reason: "too many messages" });
    assert.equal(tally(await callTimes(gateway, 5, free)), { 200: 2, 429: 3 });
    assert.is(await gateway.program.stop(), 0, gateway.program.output());
    await backend.close();
  });

  test(`connections are counted for a gateway of ${workers} as a whole`, async () => {
    const backend = await httpServer();
    const gateway = await startLimited(backend.url, { GW_WORKERS: workers });
    const open = [await ticks(gateway), await ticks(gateway), await ticks(gateway), await ticks(gateway)];
    const refused = await ticks(gateway).catch(String);
    assert.match(String(refused), /429.*Too many connections/);
    open[0]?.close();
    open[0] = await until(() => ticks(gateway).catch(() => undefined), {
      what: "the place that is free again",
    });
    for (const each of open) each.close();
    assert.is(await gateway.program.stop(), 0, gateway.program.output());
    await backend.close();
  });
}

test.run();
