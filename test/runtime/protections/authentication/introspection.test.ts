import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  type IntrospectionOptions,
  introspection,
} from "../../../../runtime/protections/authentication/introspection.ts";
import { until } from "../../../harness/wait.ts";
import { guardedBy, refusals } from "./guarded-by.ts";
import { type Issuer, startIssuer } from "./signers.ts";

const now = () => Math.floor(Date.now() / 1000);

function asking(issuer: Issuer, more: Partial<IntrospectionOptions> = {}) {
  return introspection({
    header: "Authorization",
    identity: "oauth_key",
    introspection: { url: `${issuer.url}/introspect`, clientId: "gate way", clientSecret: "s:%" },
    ...more,
  });
}

test("a token is introspected once, with client credentials, and the result is cached for a moment", async () => {
  const issuer = await startIssuer();
  issuer.replies.set("/introspect", (body) => ({
    body: { active: new URLSearchParams(body).get("token") === "good", sub: "ada", scope: "read write" },
  }));
  const gateway = await guardedBy(asking(issuer), ["read"]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.bear("good")));
  assert.ok(answers.every(([status]) => status === 200));
  assert.is(issuer.count("/introspect"), 1);
  const [request] = issuer.requests;
  assert.is(request?.headers.authorization, `Basic ${btoa("gate+way:s%3A%25")}`);
  assert.is(request?.body, "token=good&token_type_hint=access_token");
  for (let index = 0; index < 5; index += 1) assert.equal(await gateway.bear("bad"), refusals.disallowed);
  assert.is(issuer.count("/introspect"), 2);
  assert.equal(await gateway.ask(), refusals.missing);
  assert.is(issuer.count("/introspect"), 2);
  await gateway.close();
  await issuer.close();
});

test("claims of an introspection response are validated like those of a token", async () => {
  const issuer = await startIssuer();
  const rows: readonly [Partial<IntrospectionOptions>, Record<string, unknown>, readonly unknown[]][] = [
    [{}, { active: true, sub: "ada" }, [200, undefined]],
    [{}, { active: true, sub: "ada", exp: now() - 1 }, refusals.expired],
    [{}, { active: true }, refusals.disallowed],
    [{ identityBaseField: "username" }, { active: true, username: "ada" }, [200, undefined]],
    [{}, { active: "true", sub: "ada" }, refusals.disallowed],
    [{}, { active: 1, sub: "ada" }, refusals.disallowed],
    [{}, { sub: "ada" }, refusals.disallowed],
    [{ allowedAudiences: ["orders"] }, { active: true, sub: "ada" }, refusals.disallowed],
    [{ allowedAudiences: ["orders"] }, { active: true, sub: "ada", aud: ["orders"] }, [200, undefined]],
    [{ allowedIssuers: ["https://a"] }, { active: true, sub: "ada", iss: "https://b" }, refusals.disallowed],
    [{ defaultPolicies: ["elsewhere"] }, { active: true, sub: "ada" }, refusals.disallowed],
    [{ defaultPolicies: ["gold"] }, { active: true, sub: "ada" }, [200, undefined]],
  ];
  for (const [options, body, expected] of rows) {
    issuer.replies.set("/introspect", { body });
    const gateway = await guardedBy(asking(issuer, options));
    assert.equal(await gateway.bear("token"), expected, JSON.stringify([options, body]));
    await gateway.close();
  }
  await issuer.close();
});

test("while the issuer cannot answer, requests are rejected", async () => {
  const issuer = await startIssuer();
  const replies = [
    { status: 500 },
    { status: 401 },
    { status: 302, headers: { location: "/other" } },
    { body: "no JSON" },
    { body: [{ active: true, sub: "ada" }] },
    { body: `{"active":true,"sub":"ada","padding":"${"x".repeat(600_000)}"}` },
    { status: 201, body: { active: true, sub: "ada" } },
  ];
  issuer.replies.set("/other", { body: { active: true, sub: "ada" } });
  for (const reply of replies) {
    const before = issuer.count("/introspect");
    issuer.replies.set("/introspect", reply);
    const gateway = await guardedBy(asking(issuer));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => gateway.bear(`token-${index}`)),
    );
    for (const answer of answers)
      assert.equal(answer, refusals.unknowable, JSON.stringify(reply).slice(0, 80));
    assert.ok(issuer.count("/introspect") - before <= 30);
    assert.equal(gateway.received, []);
    assert.not(JSON.stringify(gateway.lines).includes("token-"));
    await gateway.close();
  }
  await issuer.close();
  const gateway = await guardedBy(asking(issuer));
  assert.equal(await gateway.bear("token"), refusals.unknowable);
  await gateway.close();
});

test("concurrent introspection requests are limited, however many tokens are guessed", async () => {
  const issuer = await startIssuer();
  const answers: (() => void)[] = [];
  issuer.replies.set("/introspect", async () => {
    await new Promise<void>((answer) => answers.push(answer));
    return { body: { active: false } };
  });
  const gateway = await guardedBy(asking(issuer));
  let refused = 0;
  const guesses = Array.from({ length: 200 }, async (_, index) => {
    const answer = await gateway.bear(`guess-${index}`);
    if (answer[0] === 503) refused += 1;
    return answer;
  });
  await until(() => refused === 136 && answers.length === 64, { what: "the refusal of all but 64" });
  for (const answer of answers) answer();
  const asked = (await Promise.all(guesses)).filter(([status]) => status === 403);
  assert.is(asked.length, 64);
  assert.is(issuer.count("/introspect"), 64);
  await gateway.close();
  await issuer.close();
});

test("text that cannot be a token is not introspected", async () => {
  const issuer = await startIssuer();
  issuer.replies.set("/introspect", { body: { active: true, sub: "ada" } });
  const gateway = await guardedBy(asking(issuer));
  assert.equal(await gateway.bear("x".repeat(9000)), refusals.disallowed);
  assert.equal(await gateway.bear("t\u00f6ken"), refusals.disallowed);
  assert.is(issuer.requests.length, 0);
  await gateway.close();
  await issuer.close();
});

test.run();
