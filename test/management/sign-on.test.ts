import { UnsecuredJWT } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dropEndedSessions, findKeptSession, keepSession } from "../../management/sign-on/sessions.ts";
import { openManagementStore } from "../../management/store/open.ts";
import { dropEnded, findSignOn, keepSignOn } from "../../runtime/portal/sign-on/portal-sign-on.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { openStore } from "../../runtime/store/store.ts";
import { type IdentityProvider, startIdentityProvider, TestBrowser } from "../harness/identity-provider.ts";
import { freshFile } from "../runtime/store/databases.ts";
import { keys, startTestService, type TestService } from "./services.ts";

const origin = "https://management.example.com";
const client = { client_id: "service", client_secret: "a secret of the tests, long enough" };

let provider: IdentityProvider;
let service: TestService;
const test = suite("single sign-on of the management service");

test.before(async () => {
  const base = `${origin}/sign-in`;
  const reach = (url: URL, init: RequestInit) => fetch(service.address + url.pathname, init);
  provider = await startIdentityProvider({ ...client, base, home: `${origin}/`, reach });
  service = await startTestService(await freshFile(), {
    environment: { GW_MANAGEMENT_CLIENT_SECRET: client.client_secret },
    settings: {
      single_sign_on: {
        issuer: provider.issuer,
        client_id: client.client_id,
        url: origin,
        claim: "realm_access.roles",
        keys: false,
        roles: [
          { value: "ops", permissions: ["read", "write"] },
          { value: "acme", permissions: ["read", "users"], organisation: "other" },
        ],
      },
    },
  });
});
test.after(async () => {
  await service.close();
  await provider.close();
});

async function signIn(person: string, roles: readonly string[], claims: object = {}) {
  provider.people.set(person, { ...claims, groups: ["ops"], realm_access: { roles } });
  provider.person = person;
  const browser = new TestBrowser({ [origin]: service.address });
  return { browser, visited: await browser.visit(`${origin}/sign-in?view=deployments`) };
}

function ask(browser: TestBrowser, method: string, path: string, body?: object, more: object = {}) {
  return browser.send(new URL(`/api${path}`, origin), {
    method,
    headers: { ...(body && { "content-type": "application/json" }), ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
}

test("groups determine permissions", async () => {
  const { browser, visited } = await signIn("ada", ["other", "ops"], {
    preferred_username: "environment key 1",
  });
  assert.is(visited.url.href, `${origin}/#/deployments`);
  assert.match(visited.text, /data-sign-on="single sign-on" data-only="sign-on"/);
  assert.is((await ask(browser, "GET", "/apis/streams")).status, 200);
  assert.is((await ask(browser, "GET", "/users")).status, 403);
  assert.is(
    (await ask(browser, "GET", "/apis/streams", undefined, { "sec-fetch-site": "same-site" })).status,
    401,
  );
  const session = await browser.send(new URL("/sign-in/session", origin));
  assert.is(await session.text(), `{"role":"user","name":"person environment key 1"}`);
  assert.is((await signIn("eve", [])).visited.status, 403);
});

test("the audit log of the organisation records actions of a signed-on user with name and subject", async () => {
  const { browser } = await signIn("pat", ["acme"], { preferred_username: "pat" });
  const made = await ask(browser, "POST", "/users", { name: "robot", permissions: ["read"] });
  assert.is(made.status, 200);
  const refused = await ask(browser, "POST", "/users", { name: "worse", permissions: ["write"] });
  assert.is(refused.status, 403);
  const { body } = await service.ask("GET", "/audit", undefined, { authorization: keys.other });
  const [newest] = body.Data;
  assert.is(newest?.actor, "pat");
  assert.is(newest?.actor_id, `${provider.issuer}#pat`);
});

test("a logout ends the session at the service and the provider, and a logout at the provider ends it too", async () => {
  const { browser } = await signIn("out", ["ops"]);
  const end = new URL("/sign-in/end", origin);
  assert.is((await browser.send(end)).status, 405);
  assert.is((await ask(browser, "GET", "/apis/streams")).status, 200);
  const left = await browser.send(end, { method: "POST", headers: { origin } });
  assert.match(await left.text(), /^\{"location":"[^"]+\/session\/end\?id_token_hint=/);
  assert.is((await ask(browser, "GET", "/apis/streams")).status, 401);
  const { browser: second } = await signIn("end", ["ops"]);
  const form = await second.visit(`${provider.issuer}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form.text)?.[1] ?? "";
  await second.visit(`${provider.issuer}/session/end/confirm`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ xsrf, logout: "yes" }).toString(),
  });
  assert.is((await ask(second, "GET", "/apis/streams")).status, 401);
});

test("a replayed logout token ends no session begun after it, at the service or the portal", async () => {
  const now = Math.floor(Date.now() / 1000);
  const record = (state: string, begun: number) => ({
    ...{ name: "ada", subject: "https://a.example#ada", provider_session: null, rules_hash: "r" },
    ...{ state_hash: state, org_id: "own", lifetime: 60_000 },
    id_token: new UnsecuredJWT({}).setIssuedAt(begun).encode(),
  });
  const ended = { sub: "ada", sid: undefined, issuedAt: now - 60 };
  const management = await openManagementStore(await freshFile(), createLogger("silent"));
  const more = { permissions: "[]", apis: "[]" };
  const former = await keepSession(management, { ...record("1", now - 100), ...more });
  const later = await keepSession(management, { ...record("2", now), ...more });
  await dropEndedSessions(management, "https://a.example", ended);
  assert.is(await findKeptSession(management, former, "r"), undefined);
  assert.ok(await findKeptSession(management, later, "r"));
  await management.close();
  const portal = await openStore(await freshFile(), createLogger("silent"));
  const before = await keepSignOn(portal, { ...record("1", now - 100), role: "administrator" });
  const since = await keepSignOn(portal, { ...record("2", now), role: "administrator" });
  await dropEnded(portal, "https://a.example", ended);
  assert.is(await findSignOn(portal, before, "r"), undefined);
  assert.ok(await findSignOn(portal, since, "r"));
  await portal.close();
});

test.run();
