import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../../../runtime/errors.ts";
import { createLogger } from "../../../../../runtime/process/log.ts";
import { createTokenAsker } from "../../../../../runtime/protections/authentication/introspection.ts";
import { startIssuer } from "../signers.ts";

const log = createLogger("silent");
const { signal } = new AbortController();

test("a failing issuer is asked again only after a pause", async () => {
  const issuer = await startIssuer();
  issuer.replies.set("/ask", { status: 500 });
  let now = 1000;
  const ask = createTokenAsker({ url: `${issuer.url}/ask` }, { log, signal, now: () => now });
  const failureOf = (token: string) => ask(token).catch((error: unknown) => error);
  for (const token of ["a", "b", "c"]) assert.instance(await failureOf(token), GatewayError);
  assert.is(issuer.requests.length, 1);
  now += 10_000;
  issuer.replies.set("/ask", { body: { active: true, sub: "ada" } });
  assert.is((await ask("a"))?.sub, "ada");
  assert.is(issuer.requests.length, 2);
  await issuer.close();
});

test("a token that the issuer cannot read is rejected, and does not block others", async () => {
  const issuer = await startIssuer();
  const ask = createTokenAsker({ url: `${issuer.url}/ask` }, { log, signal });
  for (const status of [400, 413, 422]) {
    issuer.replies.set("/ask", { status });
    assert.is(await ask(`made up ${status}`), undefined);
    issuer.replies.set("/ask", { body: { active: true, sub: "ada" } });
    assert.is((await ask(`good ${status}`))?.sub, "ada");
    assert.is(await ask(`made up ${status}`), undefined);
  }
  assert.is(issuer.requests.length, 6);
  await issuer.close();
});

test("a result is cached for its time, or not at all", async () => {
  const issuer = await startIssuer();
  issuer.replies.set("/ask", { body: { active: true, sub: "ada" } });
  let now = 1000;
  const context = { log, signal, now: () => now };
  const ask = createTokenAsker({ url: `${issuer.url}/ask`, cacheTimeout: 500 }, context);
  assert.ok(await ask("a"));
  issuer.replies.set("/ask", { body: { active: false } });
  now += 499;
  assert.ok(await ask("a"));
  now += 1;
  assert.is(await ask("a"), undefined);
  assert.is(issuer.requests.length, 2);
  const always = createTokenAsker({ url: `${issuer.url}/ask`, cacheTimeout: 0 }, context);
  for (const _ of [1, 2, 3]) await always("a");
  assert.is(issuer.requests.length, 5);
  await issuer.close();
});

test.run();
