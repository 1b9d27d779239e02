import { get } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

/** Returns the status of the response to a request to an admin route. */
function ask(admin: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = get(`${admin}${path}`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once("error", reject);
  });
}

const asBasic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test("the admin server rejects hosts that are neither local, an IP address nor configured", async () => {
  const environment = { GW_ADMIN_HOSTS: "Gateway.internal,second.internal." };
  const gateway = await startGateway([ordersApi({})], { environment });
  const known = [
    ...[
      "localhost",
      "LOCALHOST:8081",
      "a.localhost",
      "127.0.0.1:1",
      "10.0.0.7:8081",
      "[::1]:8081",
      "[fd00::1]",
    ],
    ...["gateway.internal:8081", "GATEWAY.INTERNAL.", "second.internal"],
  ];
  for (const host of known) assert.is(await ask(gateway.admin, "/streams", { host }), 200, host);
  const unknown = [
    ...["evil.test", "localhost.evil.test", "evil-localhost", "127.0.0.1.evil.test", "x.gateway.internal"],
    ...["gateway.internal.evil.test", "evil.test@localhost", "evil.test/localhost", "localhost, evil.test"],
  ];
  for (const host of unknown) {
    for (const path of [
      "/",
      "/streams",
      "/routes",
      "/metrics",
      "//healthz",
      "/healthz/../streams",
      "/page.js",
    ])
      assert.is(await ask(gateway.admin, path, { host }), 421, `${host} ${path}`);
    for (const path of ["/healthz", "/readyz", "/healthz?a"])
      assert.is(await ask(gateway.admin, path, { host }), 200, `${host} ${path}`);
  }
  await gateway.close();
});

test("with an admin token, unauthenticated clients can read the health check only", async () => {
  const token = "the token: of operators".replaceAll(" ", "-");
  const gateway = await startGateway([ordersApi({})], { environment: { GW_ADMIN_TOKEN: token } });
  const right = [`Bearer ${token}`, `bearer  ${token}`, asBasic(`:${token}`), asBasic(`anybody:${token}`)];
  for (const authorization of right)
    assert.is(await ask(gateway.admin, "/metrics", { authorization }), 200, authorization);
  const wrong = [
    ...[
      "",
      token,
      `Token ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${token} ${token}`,
    ],
    ...[asBasic(token), asBasic(`${token}:`), asBasic(`a:b:${token}`), "Basic %%%", "Bearer "],
  ];
  for (const authorization of wrong)
    assert.is(await ask(gateway.admin, "/streams", { authorization }), 401, authorization);
  const without = await fetch(`${gateway.admin}/`);
  assert.is(without.status, 401);
  assert.is(without.headers.get("www-authenticate"), 'Basic realm="operators", charset="UTF-8"');
  assert.is(await ask(gateway.admin, `/streams?token=${encodeURIComponent(token)}`), 401);
  for (const path of ["/healthz", "/readyz"]) assert.is(await ask(gateway.admin, path), 200, path);
  assert.is(
    await ask(gateway.admin, "/streams", { host: "evil.test", authorization: `Bearer ${token}` }),
    421,
  );
  await gateway.close();
  assert.not.match(JSON.stringify(gateway.lines), /the-token/);
});

test("a guessable admin token prevents the gateway from starting", async () => {
  for (const token of ["short", "with a blank in it, long enough", "käse käse käse käse"]) {
    const failure = await startGateway([ordersApi({})], { environment: { GW_ADMIN_TOKEN: token } }).catch(
      (error: unknown) => error,
    );
    assert.ok(failure instanceof EnvironmentError && /GW_ADMIN_TOKEN/.test(failure.message), token);
    assert.not(failure.message.includes(token));
  }
});

test("names that no request can carry prevent the gateway from starting", async () => {
  for (const hosts of ["a b", "gateway:8081", "http://gateway", "gateway,käse"]) {
    const failure = await startGateway([ordersApi({})], { environment: { GW_ADMIN_HOSTS: hosts } }).catch(
      (error: unknown) => error,
    );
    assert.ok(failure instanceof EnvironmentError && /GW_ADMIN_HOSTS/.test(failure.message), hosts);
    assert.match(failure.message, "a host name without a port");
  }
});

test.run();
