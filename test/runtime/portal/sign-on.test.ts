import { suite } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { type PortalSignOnOptions, portalSignOn } from "../../../runtime/portal/sign-on/portal-sign-on.ts";
import {
  type IdentityProvider,
  startIdentityProvider,
  TestBrowser,
} from "../../harness/identity-provider.ts";
import { freshFile } from "../store/databases.ts";
import { startPortal, type TestPortal, tokens } from "./portals.ts";

const origin = "https://portal.example.com";
const client = { client_id: "sluice", client_secret: "a secret of the tests, long enough" };

interface Scene {
  readonly provider: IdentityProvider;
  readonly portal: TestPortal;
}

const servers: { portal?: string } = {};

async function startScene(more: Partial<PortalSignOnOptions> = {}): Promise<Scene> {
  const provider = await startIdentityProvider({
    ...client,
    base: `${origin}/portal/sign-in`,
    home: `${origin}/portal/`,
    reach: (url, init) => fetch(`${servers.portal}${url.pathname}`, init),
  });
  const options: PortalSignOnOptions = {
    issuer: provider.issuer,
    client_id: client.client_id,
    url: `${origin}/`,
    name: "Example",
    roles: [
      { value: "admins", role: "administrator" },
      { value: "partners", role: "developer", organisation: "other" },
      { value: "staff", role: "developer" },
    ],
    ...more,
  };
  const portal = await startPortal(await freshFile(), [], {
    page: portalPage,
    settings: { single_sign_on: portalSignOn(options) },
    environment: { GW_PORTAL_CLIENT_SECRET: client.client_secret },
  });
  servers.portal = portal.url;
  return { provider, portal };
}

function browserAt({ portal }: Scene): TestBrowser {
  return new TestBrowser({ [origin]: portal.url });
}

async function signIn(scene: Scene, person: string, claims: object, browser = browserAt(scene), query = "") {
  scene.provider.people.set(person, { ...claims });
  scene.provider.person = person;
  const visited = await browser.visit(`${origin}/portal/sign-in${query}`);
  return { browser, visited };
}

async function ask(browser: TestBrowser, path: string, init: RequestInit = {}) {
  const response = await browser.send(new URL(path, origin), init);
  return { status: response.status, text: await response.text() };
}

const with_ = suite("single sign-on of the portal");
let scene: Scene;
with_.before(async () => {
  scene = await startScene();
});
with_.after(async () => {
  await scene.portal.close();
  await scene.provider.close();
});

with_("a developer gets an account that is bound to the subject, and a session in a cookie", async () => {
  const claims = { email: "ada@example.com", email_verified: true, groups: ["staff"] };
  const { browser, visited } = await signIn(scene, "ada", claims, undefined, "?view=keys");
  assert.is(visited.url.href, `${origin}/portal/#/keys`);
  assert.match(visited.text, /data-sign-on="Example"/);
  assert.is((await ask(browser, "/portal/own/me")).text.includes("ada@example.com"), true);
  assert.is(
    (await ask(browser, "/portal/sign-in/session")).text,
    `{"role":"developer","name":"ada@example.com"}`,
  );
  const key = encodeURIComponent(`${scene.provider.issuer}#ada`);
  const { body } = await scene.portal.ask("GET", `/developers/ssokey/${key}`);
  assert.is(body.email, "ada@example.com");
  assert.is((await ask(browser, "/api/portal/requests")).status, 401);
  // A user whose address changes remains the same user.
  await signIn(
    scene,
    "ada",
    { email: "countess@example.com", email_verified: true, groups: "staff" },
    browser,
  );
  assert.match((await ask(browser, "/portal/own/me")).text, /ada@example\.com/);
});

with_("groups decide role and organisation", async () => {
  const { browser } = await signIn(scene, "grace", { preferred_username: "grace", groups: ["x", "admins"] });
  assert.is((await ask(browser, "/api/portal/requests")).status, 200);
  assert.is((await ask(browser, "/portal/own/me")).status, 401);
  const headers = { "sec-fetch-site": "cross-site" };
  assert.is((await ask(browser, "/api/portal/requests", { headers })).status, 401);
  const team = { "content-type": "application/json" };
  const body = JSON.stringify({ name: "Shipping" });
  assert.is((await ask(browser, "/api/portal/teams", { method: "POST", headers: team, body })).status, 200);
  const subject = `${scene.provider.issuer}#grace`;
  const changes = await scene.portal.ask("GET", `/audit?actor=${encodeURIComponent(subject)}`);
  assert.equal(
    changes.body.Data.map(({ actor, actor_id, action }) => [actor, actor_id, action]),
    [["grace", subject, "createTeam"]],
  );
  const partner = { email: "p@example.com", email_verified: true, groups: ["partners"] };
  const { browser: second } = await signIn(scene, "pat", partner);
  assert.is((await ask(second, "/portal/own/me")).status, 200);
  const found = await scene.portal.ask("GET", "/developers/email/p@example.com", undefined, {
    authorization: tokens.other,
  });
  assert.is(found.status, 200);
  const { visited } = await signIn(scene, "eve", {
    email: "e@example.com",
    email_verified: true,
    groups: ["none"],
  });
  assert.is(visited.status, 403);
  assert.match(visited.text, /None of your groups/);
});

with_("an e-mail address gives nobody the account of another", async () => {
  await scene.portal.ask("POST", "/developers", { email: "bob@example.com", password: "a good password" });
  for (const email_verified of [true, false, "true", undefined]) {
    const { browser, visited } = await signIn(scene, "mallory", {
      email: "Bob@example.com",
      email_verified,
      groups: ["staff"],
    });
    assert.is(visited.status, 403);
    assert.is(browser.cookie("portal_session"), undefined);
  }
});

with_("an inactive developer is not signed in", async () => {
  const claims = { email: "old@example.com", email_verified: true, groups: ["staff"] };
  const { browser } = await signIn(scene, "old", claims);
  const { body } = await scene.portal.ask("GET", "/developers/email/old@example.com");
  await scene.portal.ask("PUT", `/developers/${body.id}`, { ...body, inactive: true });
  assert.is((await ask(browser, "/portal/own/me")).status, 401);
  assert.is((await signIn(scene, "old", claims)).visited.status, 403);
});

with_("an answer counts once, and only in the browser that asked", async () => {
  const { provider } = scene;
  provider.people.set("ada", { email: "ada@example.com", email_verified: true, groups: ["staff"] });
  provider.person = "ada";
  const browser = browserAt(scene);
  const leaving = await browser.send(new URL("/portal/sign-in", origin));
  const asked = new URL(leaving.headers.get("location") ?? "");
  assert.is(asked.searchParams.get("code_challenge_method"), "S256");
  const callback = await backFrom(browser, asked);
  const stranger = browserAt(scene);
  assert.is((await stranger.send(callback)).status, 400);
  const forged = new URL(callback);
  forged.searchParams.set("state", "another");
  const other = browserAt(scene);
  await other.send(new URL("/portal/sign-in", origin));
  assert.is((await other.send(callback)).status, 400);
  const sealed = browser.cookie("__Host-portal_sign_in") ?? "";
  // A subdomain can set cookies for the host, but not with the prefix `__Host-`.
  const planted = await stranger.send(callback, { headers: { cookie: `portal_sign_in=${sealed}` } });
  assert.is(planted.status, 400);
  assert.is((await browser.send(callback)).status, 303);
  assert.is(browser.cookie("__Host-portal_sign_in"), undefined);
  // The former cookie does not work either.
  const again = await browser.send(callback, { headers: { cookie: `__Host-portal_sign_in=${sealed}` } });
  assert.is(again.status, 403);
});

/** Returns the address to which the provider redirects the browser. */
async function backFrom(browser: TestBrowser, asked: URL): Promise<URL> {
  let url = asked;
  while (url.origin !== origin) {
    const response = await browser.send(url);
    await response.arrayBuffer();
    url = new URL(response.headers.get("location") ?? "", url);
  }
  return url;
}

with_("cookies of sessions go to the portal alone, and to no API beside it", async () => {
  for (const groups of ["admins", "staff"]) {
    const claims = { email: "own@example.com", email_verified: true, groups: [groups] };
    const { browser } = await signIn(scene, `cookies-${groups}`, claims);
    for (const path of ["/", "/orders/", "/portal-of-others/", "/api/", "/api/portals"])
      assert.equal(browser.cookiesFor(new URL(path, origin)), [], path);
    assert.is(browser.cookiesFor(new URL("/portal/own/me", origin)).length, 1);
  }
});

with_("views lead nowhere else", async () => {
  for (const view of [
    "//evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "\\\\evil",
    "a\r\nb",
  ]) {
    const claims = { email: "ada@example.com", email_verified: true, groups: ["staff"] };
    const query = `?view=${encodeURIComponent(view)}`;
    const { visited } = await signIn(scene, "ada", claims, undefined, query);
    assert.is(visited.url.origin, origin);
    assert.is(visited.url.pathname, "/portal/");
  }
});

with_("signing out ends the session here and at the provider", async () => {
  const claims = { email: "out@example.com", email_verified: true, groups: ["staff"] };
  const { browser } = await signIn(scene, "out", claims);
  const end = "/portal/sign-in/end";
  // Pages of other origins: a GET from any of them, which over plain HTTP does not reveal its origin, and a request from
  // another port.
  for (const headers of [{}, { "sec-fetch-site": "cross-site" }])
    assert.is((await ask(browser, end, { headers })).status, 405);
  for (const headers of [
    { "sec-fetch-site": "same-site", origin },
    { origin: "https://portal.example.com:8443" },
    { origin: "null" },
  ])
    assert.is((await ask(browser, end, { method: "POST", headers })).status, 403, JSON.stringify(headers));
  assert.is((await ask(browser, "/portal/own/me")).status, 200);
  const left = await ask(browser, end, { method: "POST", headers: { origin } });
  const there = new URL(JSON.parse(left.text).location);
  assert.is(there.origin, scene.provider.issuer);
  assert.is(there.searchParams.get("post_logout_redirect_uri"), `${origin}/portal/`);
  assert.is((await ask(browser, "/portal/own/me")).status, 401);
  assert.is((await ask(browser, end, { method: "POST" })).text, '{"location":"/portal/"}');
});

with_("a session ends when the provider ends it", async () => {
  const claims = { email: "end@example.com", email_verified: true, groups: ["staff"] };
  const { browser } = await signIn(scene, "end", claims);
  const { browser: admin } = await signIn(scene, "boss", { groups: ["admins"] });
  assert.is((await ask(admin, "/api/portal/requests")).status, 200);
  // The user signs out at the provider, which notifies the portal.
  const form = await browser.visit(`${scene.provider.issuer}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form.text)?.[1] ?? "";
  await browser.visit(`${scene.provider.issuer}/session/end/confirm`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ xsrf, logout: "yes" }).toString(),
  });
  assert.is((await ask(browser, "/portal/own/me")).status, 401);
  assert.is((await ask(admin, "/api/portal/requests")).status, 200);
  const body = new URLSearchParams({ logout_token: "a.b.c" });
  assert.is(
    (await fetch(`${scene.portal.url}/portal/sign-in/back-channel`, { method: "POST", body })).status,
    400,
  );
});

with_.run();

const without = suite("single sign-on in place of passwords");
without("passwords are refused, and accounts are found or made as the settings say", async () => {
  const own = await startScene({
    passwords: false,
    create_developers: false,
    link_by_email: true,
    roles: [{ value: "*", role: "developer" }],
  });
  try {
    const body = JSON.stringify({ username: "bob@example.com", password: "a good password" });
    const headers = { "content-type": "application/json" };
    await own.portal.ask("POST", "/developers", { email: "bob@example.com", password: "a good password" });
    const refused = await fetch(`${own.portal.url}/portal/entrance/login`, { method: "POST", headers, body });
    assert.is(refused.status, 403);
    const page = await fetch(`${own.portal.url}/portal/`);
    assert.match(await page.text(), /data-only="sign-on"/);
    const bob = { email: "bob@example.com", email_verified: true };
    assert.is((await signIn(own, "bob", { ...bob, email_verified: false })).visited.status, 403);
    // The Kelvin sign becomes a k in lower case, but the mailbox is a different one.
    await own.portal.ask("POST", "/developers", { email: "kim@example.com", password: "a good password" });
    const alike = { email: "\u212aim@example.com", email_verified: true };
    assert.is((await signIn(own, "alike", alike)).visited.status, 403);
    assert.is((await signIn(own, "bob", bob)).visited.status, 200);
    // Now the account is connected, whatever address it gets.
    assert.is((await signIn(own, "bobby", bob)).visited.status, 403);
    const stranger = { email: "new@example.com", email_verified: true };
    assert.match((await signIn(own, "new", stranger)).visited.text, /There is no account for you/);
    await own.provider.close();
  } finally {
    await own.portal.close();
  }
});
without("a provider that is away is said to be away", async () => {
  const own = await startScene();
  await own.provider.close();
  try {
    const { status, text } = await browserAt(own).visit(`${origin}/portal/sign-in`);
    assert.is(status, 503);
    assert.match(text, /cannot be reached/);
  } finally {
    await own.portal.close();
  }
});
without.run();
