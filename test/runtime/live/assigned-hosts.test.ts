// Host names that are assigned to an organisation: before, during and after deployments, no API of another organisation
// responds there.

import { request } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { hostOwner } from "../../../runtime/gateway/artifact/assigned-hosts.ts";
import { memoryOutput } from "../gateway/components.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { type DeployedParts, deployed, liveGateway } from "./deployment.ts";

/** Returns an API of an organisation that accepts requests at `/ID/new`. */
function api(id: string, organisation: string, parts: DeployedParts = {}) {
  const make = () => ({ input: httpServerInput({ path: "/new" }), output: memoryOutput(), pipeline: [] });
  return deployed({ s: { make } }, { id, organisation, listenPath: `/${id}/`, ...parts });
}

/** Returns the status of a POST request whose `Host` header is `host`. */
function post(url: string, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method: "POST", headers: { host } }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end("a");
  });
}

const owner = hostOwner({ red: ["red.example", "*.red.example"], blue: ["blue.red.example"] });

const rows: readonly (readonly [host: string, red: number, blue: number])[] = [
  ["red.example", 200, 404],
  ["RED.Example.:8080", 200, 404],
  ["a.red.example", 200, 404],
  ["A.B.RED.example.", 200, 404],
  ["blue.red.example:80", 404, 200],
  ["a.blue.red.example", 200, 404],
  ["notred.example", 200, 200],
  ["red.example.org", 200, 200],
];

test("only APIs of its organisation answer under an assigned host name, from the first request on", async () => {
  const apis = [api("red", "red"), api("blue", "blue")].map(({ definition }) => definition);
  const gateway = await startGateway(apis, { hostOwner: owner });
  for (const [host, red, blue] of rows) {
    const answers = [await post(gateway.url, "/red/new", host), await post(gateway.url, "/blue/new", host)];
    assert.equal(answers, [red, blue], host);
  }
  await gateway.close();
});

test("deployments change the owners of host names, even if no API changes", async () => {
  const apis = [api("red", "red"), api("blue", "blue")];
  const { gateway, live } = await liveGateway(apis);
  const atHost = async (host: string) => [
    await post(gateway.url, "/red/new", host),
    await post(gateway.url, "/blue/new", host),
  ];
  assert.equal(await atHost("red.example"), [200, 200]);
  await live.apply(apis, owner);
  assert.equal(await atHost("red.example"), [200, 404]);
  assert.equal(await atHost("blue.red.example"), [404, 200]);
  await live.apply(apis, hostOwner({ blue: ["red.example"] }));
  assert.equal(await atHost("red.example"), [404, 200]);
  assert.equal(await atHost("blue.red.example"), [200, 200]);
  await live.apply([...apis, api("more", "red")], hostOwner({ red: ["red.example"] }));
  assert.equal(await atHost("red.example"), [200, 404]);
  assert.is(await post(gateway.url, "/more/new", "red.example"), 200);
  await live.apply(apis);
  assert.equal(await atHost("red.example"), [200, 200]);
  await gateway.close();
});

test("an API on a host name assigned to another organisation does not conflict with that organisation's API", async () => {
  const host = "red.example";
  const [own, foreign] = [api("red", "red", { host }), api("x", "blue", { host, listenPath: "/red/" })];
  const red = () => post(gateway.url, "/red/new", host);
  const { gateway, live } = await liveGateway();
  assert.equal(
    (await live.apply([foreign, own], owner)).map(({ outcome }) => outcome),
    ["applied", "applied"],
  );
  assert.is(await red(), 200);
  await live.apply([foreign], owner);
  assert.is(await red(), 404);
  await live.apply([foreign], hostOwner({ blue: [host] }));
  assert.is(await red(), 200);
  await gateway.close();
});

test.run();
