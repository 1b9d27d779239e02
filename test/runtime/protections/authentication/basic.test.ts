import { request } from "node:http";
import { hashSync } from "bcryptjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope } from "../../../../runtime/component/gateway-scope.ts";
import { GatewayError } from "../../../../runtime/errors.ts";
import { hashPassword } from "../../../../runtime/keys/argon.ts";
import { configuredKeys } from "../../../../runtime/keys/configured-keys.ts";
import { passwordWork } from "../../../../runtime/keys/password-work.ts";
import { type PasswordTest, passwordTest } from "../../../../runtime/keys/passwords.ts";
import { EnvironmentError } from "../../../../runtime/process/environment.ts";
import { authToken } from "../../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../../runtime/protections/authentication/authentication.ts";
import { type BasicOptions, basic } from "../../../../runtime/protections/authentication/basic.ts";
import { until } from "../../../harness/wait.ts";
import { startGuarded } from "../guarded.ts";

function guard(options: BasicOptions = {}) {
  return authentication({
    methods: { user: basic({ header: "Authorization", ...options }) },
    requirements: [{ user: [] }],
  });
}

function basicOf(text: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Returns the status of a request from a loopback address. */
function statusFrom(localAddress: string, url: string, credentials: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", localAddress, headers: basicOf(credentials) });
    asked.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
    asked.end("x");
  });
}

/** Returns a password test whose calls the test can count and delay. */
function countingTest(right: string): PasswordTest & { readonly asked: string[]; release: (() => void)[] } {
  const asked: string[] = [];
  const release: (() => void)[] = [];
  return {
    id: right,
    asked,
    release,
    verify(password) {
      asked.push(password);
      return new Promise((resolve) => release.push(() => resolve(password === right)));
    },
  };
}

test("users authenticate by their passwords, hashed by argon2 or bcrypt", async () => {
  const keys = configuredKeys({
    keys: [
      { username: "ann", basic_auth_data: { password: passwordTest(await hashPassword("blue:1 ü")) } },
      { username: "bob", basic_auth_data: { password: passwordTest(hashSync("red", 4)) } },
      { username: "eve" },
    ],
  });
  const gateway = await startGuarded([guard()], { keys });
  const rows: readonly [string, number][] = [
    ["ann:blue:1 ü", 200],
    ["bob:red", 200],
    ["ann:red", 401],
    ["bob:blue", 401],
    ["bob:", 401],
    ["bob", 401],
    [":red", 401],
    ["eve:", 401],
    ["nobody:red", 401],
    ["__proto__:red", 401],
  ];
  for (const [credentials, status] of rows) {
    const headers = basicOf(credentials);
    const response = await fetch(gateway.url, { method: "POST", body: credentials, headers });
    assert.is(response.status, status, credentials);
    assert.is(gateway.received.includes(credentials), status === 200, credentials);
    if (status === 401) {
      assert.equal(await response.json(), { error: "User not authorised" });
      assert.match(response.headers.get("www-authenticate") ?? "", /^Basic realm=/);
    }
  }
  const none = await fetch(gateway.url, { method: "POST", headers: { authorization: "Bearer a.b.c" } });
  assert.equal([none.status, await none.json()], [401, { error: "Authorization field missing" }]);
  await gateway.close();
});

test("a user name is not a key: users need their password", async () => {
  const keys = configuredKeys({
    keys: [{ username: "ann", basic_auth_data: { password: passwordTest(await hashPassword("blue")) } }],
  });
  const either = authentication({
    methods: { key: authToken({ header: "X-Api-Key" }), user: basic({ header: "Authorization" }) },
    requirements: [{ key: [] }, { user: [] }],
  });
  const gateway = await startGuarded([either], { keys });
  for (const key of ["ann", "user ann"]) {
    const response = await fetch(gateway.url, { method: "POST", headers: { "x-api-key": key } });
    assert.is(response.status, 403);
  }
  await gateway.close();
});

test("a verified password is cached for a while, unless caching is disabled", async () => {
  for (const [options, times] of [
    [{}, 1],
    [{ cacheTTL: 3600 }, 1],
    [{ cacheTTL: 0 }, 2],
    [{ disableCaching: true }, 2],
  ] as const) {
    const password = countingTest("blue");
    const keys = configuredKeys({ keys: [{ username: "ann", basic_auth_data: { password } }] });
    const gateway = await startGuarded([guard(options)], { keys });
    for (let round = 0; round < 2; round++) {
      const answer = fetch(gateway.url, { method: "POST", headers: basicOf("ann:blue") });
      if (round < times) (await until(() => password.release[round], { what: "a verification" }))();
      assert.is((await answer).status, 200);
    }
    assert.is(password.asked.length, times);
    await gateway.close();
  }
});

test("wrong passwords are verified each time", async () => {
  const password = countingTest("blue");
  const keys = configuredKeys({ keys: [{ username: "ann", basic_auth_data: { password } }] });
  const gateway = await startGuarded([guard()], { keys });
  for (let round = 0; round < 2; round++) {
    const answer = fetch(gateway.url, { method: "POST", headers: basicOf("ann:red") });
    (await until(() => password.release[round], { what: "a verification" }))();
    assert.is((await answer).status, 401);
  }
  await gateway.close();
});

test("two passwords are verified at a time, and clients that guess are rejected", async () => {
  const password = countingTest("blue");
  const keys = configuredKeys({ keys: [{ username: "ann", basic_auth_data: { password } }] });
  const gateway = await startGuarded([guard()], { keys });
  const flood = Array.from({ length: 70 }, (_, index) =>
    fetch(gateway.url, { method: "POST", headers: basicOf(`ann:${index}`) }),
  );
  const first = await Promise.race(flood);
  assert.equal([first.status, first.headers.get("retry-after")], [429, "60"]);
  assert.is(password.asked.length, 2);
  const other = await fetch(gateway.url, { method: "POST", headers: { authorization: "Bearer a" } });
  assert.is(other.status, 401, "others are served meanwhile");
  const answers = Promise.all(flood);
  for (let done = 0; done < 20; done++) {
    (await until(() => password.release[done], { what: "the next verification" }))();
  }
  const statuses = (await answers).map(({ status }) => status);
  assert.equal(
    [401, 429].map((status) => statuses.filter((each) => each === status).length),
    [20, 50],
  );
  await gateway.close();
});

test("a flood of callers' passwords is rejected, and does not delay the portal", async () => {
  const gateway = new GatewayScope();
  const password = countingTest("blue");
  const work = passwordWork(gateway, "callers");
  const flood = Array.from({ length: 70 }, (_, index) => work.verify(`${index}`, password));
  const own = countingTest("green");
  const atPortal = passwordWork(gateway, "portal").verify("green", own);
  (await until(() => own.release[0], { what: "the portal's verification" }))();
  assert.is(await atPortal, true);
  assert.is(password.asked.length, 2);
  for (let done = 0; done < 66; done++)
    (await until(() => password.release[done], { what: "the next verification" }))();
  const refused = (await Promise.all(flood)).filter((outcome) => outcome instanceof GatewayError);
  assert.equal(
    refused.map(({ status, retryAfter }) => [status, retryAfter]),
    Array(4).fill([503, 1]),
  );
  await Promise.all(flood);
});

test("an address that guesses many passwords at once delays itself only", async () => {
  const password = countingTest("blue");
  const keys = configuredKeys({
    keys: Array.from({ length: 90 }, (_, index) => ({
      username: `user${index}`,
      basic_auth_data: { password },
    })),
  });
  const gateway = await startGuarded([guard()], { keys });
  const statusOf = (localAddress: string, credentials: string) =>
    statusFrom(localAddress, gateway.url, credentials);
  const answers: (number | undefined)[] = [];
  const flood = Array.from({ length: 90 }, async (_, index) => {
    answers.push(await statusOf("127.0.0.2", `user${index}:${index}`));
  });
  await until(() => answers.length === 24, { what: "a full queue" });
  const other = statusOf("127.0.0.3", "user1:blue");
  await until(() => answers.length === 25, { what: "room for another address" });
  for (let done = 0; done < 4; done++)
    (await until(() => password.release[done], { what: "the next verification" }))();
  assert.is(await other, 200);
  for (let done = 4; done < 66; done++)
    (await until(() => password.release[done], { what: "the next verification" }))();
  await Promise.all(flood);
  assert.equal(
    [401, 503].map((status) => answers.filter((each) => each === status).length),
    [65, 25],
  );
  await gateway.close();
});

test("guesses beyond the limit do not find a password that was verified for its owner meanwhile", async () => {
  const verify = async (text: string) => text === "blue";
  const password: PasswordTest = { id: "blue", verify };
  const keys = configuredKeys({ keys: [{ username: "ann", basic_auth_data: { password } }] });
  const gateway = await startGuarded([guard()], { keys });
  const [owner, stranger] = ["127.0.0.2", "127.0.0.3"];
  assert.is(await statusFrom(owner, gateway.url, "ann:blue"), 200);
  for (let guess = 0; guess < 20; guess++)
    assert.is(await statusFrom(stranger, gateway.url, `ann:${guess}`), 401);
  assert.is(await statusFrom(stranger, gateway.url, "ann:blue"), 429);
  assert.is(await statusFrom(owner, gateway.url, "ann:blue"), 200);
  await gateway.close();
});

test("queued networks take turns, and accounts known at their address come first", async () => {
  const work = passwordWork(new GatewayScope(), "portal");
  const password = countingTest("blue");
  const asked: Promise<boolean | GatewayError>[] = [];
  const ask = (network: string, text: string, isKnown = false) =>
    asked.push(work.of({ network, isKnown }).verify(text, password));
  ask("a", "running");
  for (const text of ["a1", "a2", "a3"]) ask("a", text);
  for (const text of ["b1", "b2"]) ask("b", text);
  ask("c", "c1");
  for (const text of ["d1", "d2"]) ask("d", text, true);
  for (let done = 0; done < 9; done++)
    (await until(() => password.release[done], { what: "the next verification" }))();
  await Promise.all(asked);
  assert.is(password.asked.join(" "), "running a1 d1 b1 d2 c1 a2 b2 a3");
});

test("a full queue makes room for an address with fewer entries, for any number of addresses", async () => {
  const work = passwordWork(new GatewayScope(), "portal");
  const password = countingTest("blue");
  const ask = (network: string, isKnown = false) => work.of({ network, isKnown }).verify(network, password);
  const flood = Array.from({ length: 65 }, (_, index) => ask(`a${index % 8}`));
  const refused = (outcome: boolean | GatewayError) => outcome instanceof GatewayError && outcome.status;
  assert.is(refused(await ask("a1")), 503);
  const [one, known] = [ask("b"), ask("c", true)];
  assert.is(refused(await Promise.race(flood)), 503, "it takes the place of one of eight");
  for (let done = 0; done < 66; done++)
    (await until(() => password.release[done], { what: "the next verification" }))();
  assert.equal([await one, await known], [false, false]);
  assert.is((await Promise.all(flood)).filter(refused).length, 1);
});

test("concurrent requests of a client share one verification", async () => {
  const password = countingTest("blue");
  const keys = configuredKeys({ keys: [{ username: "ann", basic_auth_data: { password } }] });
  const gateway = await startGuarded([guard()], { keys });
  const requests = Array.from({ length: 40 }, () =>
    fetch(gateway.url, { method: "POST", headers: basicOf("ann:blue") }),
  );
  (await until(() => password.release[0], { what: "the verification" }))();
  const statuses = new Set((await Promise.all(requests)).map(({ status }) => status));
  assert.equal([...statuses], [200]);
  assert.is(password.asked.length, 1);
  await gateway.close();
});

test("invalid password hashes keep the gateway from starting", () => {
  const wrong = [
    "",
    "blue",
    "$2b$10$short",
    "$argon2d$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
  ];
  for (const text of wrong) {
    assert.throws(
      () => passwordTest(text),
      (error: unknown) => error instanceof EnvironmentError,
    );
  }
});

test.run();
