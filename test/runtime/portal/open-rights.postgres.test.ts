import { createHmac } from "node:crypto";
import { request } from "node:https";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { introspection } from "../../../runtime/protections/authentication/introspection.ts";
import { jwt } from "../../../runtime/protections/authentication/jwt.ts";
import { jwtOfKeys } from "../../../runtime/protections/authentication/jwt-of-keys.ts";
import { mutualTls } from "../../../runtime/protections/authentication/mutual-tls.ts";
import { signedRequests } from "../../../runtime/protections/authentication/signed-requests.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres, redis } from "../../harness/brokers.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until, within } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { createSigner, startIssuer } from "../protections/authentication/signers.ts";
import { freshDatabase, freshFile } from "../store/databases.ts";
import { askForNext, lastingApi, lastingUpstream, openAll, openAnswer } from "./open-connections.ts";
import { createDeveloper, createPolicy, logIn, startPortal, type TestPortal } from "./portals.ts";

/** Milliseconds in which an open connection ends with its right. */
const promised = 2_000;
const upstream = await lastingUpstream();
const signer = await createSigner("ES256");
const issuer = await startIssuer();
const published = await createSigner("ES256", "first");
const replacement = await createSigner("ES256", "second");
const ofDeveloper = await createSigner("ES256", "developer");
/** Tokens that their issuer has taken back. */
const takenBack = new Set<string>();
issuer.replies.set("/introspect", (body) => {
  const token = new URLSearchParams(body).get("token") ?? "";
  return { body: { active: token.startsWith("asked") && !takenBack.has(token), sub: "ann" } };
});

/** What a caller was given, and by what it can be taken back. */
interface Given {
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The developer, or the team. */
  readonly developer: string;
  readonly policy: string;
  readonly key: string;
}

type Give = (portal: TestPortal, developer: string, policy: string) => Promise<Record<string, string>>;

const credentials: Readonly<Record<string, Give>> = {
  async key(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    return { "X-Api-Key": body.RawKey };
  },
  async team(portal, team, policy) {
    const { body } = await portal.ask("POST", `/teams/${team}/keys`, { apply_policies: [policy] });
    return { "X-Api-Key": body.RawKey };
  },
  async user(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    return { authorization: `Basic ${Buffer.from(`${body.RawKey}:${body.Password}`).toString("base64")}` };
  },
  async client(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, {
      apply_policies: [policy],
      oauth_info: { redirect_uri: "https://a.example/back" },
    });
    return { authorization: `Bearer ${await tokenOf(portal, body)}` };
  },
  async signer(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    const date = new Date().toUTCString();
    const signature = createHmac("sha256", body.Password).update(`x-aux-date: ${date}`).digest("base64");
    const authorization = `Signature keyId="${body.RawKey}",algorithm="hmac-sha256",headers="x-aux-date",signature="${signature}"`;
    return { authorization, "x-aux-date": date };
  },
  async "own token"(portal, developer, policy) {
    const asked = { apply_policies: [policy], jwt_secret: ofDeveloper.publicKey };
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, asked);
    return { "x-own": `Bearer ${await ofDeveloper.sign({}, { kid: body.RawKey })}` };
  },
  async asked(_, developer) {
    return { "x-asked": `Bearer asked-${developer}` };
  },
  async published(_, developer, policy) {
    issuer.replies.set("/keys", { body: { keys: [published.jwk] } });
    return { "x-published": `Bearer ${await published.sign({ sub: developer, pol: policy })}` };
  },
  async token(_, developer, policy) {
    return { authorization: `Bearer ${await signer.sign({ sub: developer, pol: policy })}` };
  },
};

async function tokenOf(portal: TestPortal, { client_id: id, secret }: Readonly<Record<string, unknown>>) {
  const form = { grant_type: "client_credentials", client_id: String(id), client_secret: String(secret) };
  const granted = await fetch(`${portal.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  const { access_token: token } = JSON.parse(await granted.text());
  clients.set(token, form);
  return token;
}
const clients = new Map<string, { readonly client_id: string; readonly client_secret: string }>();

/** Has the right end by a change at `portal`, while connections are open at `served`. */
type End = (portal: TestPortal, given: Given, served: TestPortal) => Promise<{ status: number } | undefined>;

/** Waits until new requests are refused. */
async function untilRefused(url: string, headers: Given["headers"]): Promise<undefined> {
  const refused = async () => {
    const { status, body } = await fetch(`${url}/orders/upstream`, { headers });
    await body?.cancel();
    return status === 401 || status === 403;
  };
  await until(refused, { what: "the refusal of new requests" });
  return undefined;
}

/** Where an owner of credentials is found. */
function ownerOf({ kind, developer }: Given): string {
  return `/${kind === "team" ? "teams" : "developers"}/${developer}`;
}
const changePolicy =
  (change: object): End =>
  async (portal, { policy }) => {
    const { body } = await portal.ask("GET", `/policies/${policy}`);
    return portal.ask("PUT", `/policies/${policy}`, { ...body, ...change });
  };

const ownerEnds: Readonly<Record<string, End>> = {
  "its owner is deleted": (portal, given) => portal.ask("DELETE", ownerOf(given)),
  async "its owner is deactivated"(portal, given) {
    const { kind, developer: name } = given;
    const { body } = kind === "team" ? { body: { name } } : await portal.ask("GET", ownerOf(given));
    return portal.ask("PUT", ownerOf(given), { ...body, inactive: true });
  },
};
const policyEnds: Readonly<Record<string, End>> = {
  "its policy is deleted": (portal, { policy }) => portal.ask("DELETE", `/policies/${policy}`),
  "its policy is denied": changePolicy({ state: "deny" }),
  "its policy is narrowed": changePolicy({ access_rights: { others: {} } }),
};
const deletion: Readonly<Record<string, End>> = {
  "it is deleted": (portal, given) => portal.ask("DELETE", `${ownerOf(given)}/keys/${given.key}`),
};
/** What becomes of records of keys; the time of tokens is the token endpoint's. */
const keyEnds: Readonly<Record<string, End>> = {
  ...deletion,
  async "it gets another policy"(portal, given) {
    const other = await createPolicy(portal, `others of ${given.developer}`, {
      access_rights: { others: {} },
    });
    return portal.ask("PUT", `${ownerOf(given)}/keys/${given.key}`, { apply_policies: [other] });
  },
  async "it expires"(portal, given, { url }) {
    const brief = await createPolicy(portal, `brief of ${given.developer}`, { key_expires_in: 1 });
    await portal.ask("PUT", `${ownerOf(given)}/keys/${given.key}`, { apply_policies: [brief] });
    return untilRefused(url, given.headers);
  },
};
/** Other requests use up what is granted, at whatever gateway of the same counters. */
const quotaEnds: Readonly<Record<string, End>> = {
  async "its quota is used up"(portal, given) {
    await changePolicy({ quota_max: 1, quota_renewal_rate: 3600 })(portal, given, portal);
    return untilRefused(portal.url, given.headers);
  },
};
const rotation: Readonly<Record<string, End>> = {
  async "it is rotated"(portal, { developer, key }) {
    const password = "correct horse battery";
    await portal.ask("POST", `/developers/password/${developer}`, { password });
    const { body } = await portal.ask("GET", `/developers/${developer}`);
    const askOwn = await logIn(portal, String(body.email), password);
    return askOwn("POST", `/keys/${key}/rotate`);
  },
};
const tokenEnds: Readonly<Record<string, End>> = {
  async "its token is revoked"({ url }, { headers }) {
    const token = (headers.authorization ?? "").replace("Bearer ", "");
    const body = new URLSearchParams({ token, ...clients.get(token) });
    return fetch(`${url}/oauth/revoke`, { method: "POST", body });
  },
};
const issuerEnds: Readonly<Record<string, End>> = {
  async "its issuer takes it back"(_, { headers }) {
    takenBack.add((headers["x-asked"] ?? "").replace("Bearer ", ""));
    return undefined;
  },
};
const keySetEnds: Readonly<Record<string, End>> = {
  /** What was fetched is fetched again when a token names a key that is not there. */
  async "the key of its issuer is replaced"(_, { headers }, { url }) {
    issuer.replies.set("/keys", { body: { keys: [replacement.jwk] } });
    return untilRefused(url, headers);
  },
};

/** What ends each kind of credential. Times of tokens are in a test of their own below. */
const ends: Readonly<Record<string, readonly Readonly<Record<string, End>>[]>> = {
  key: [ownerEnds, policyEnds, keyEnds, quotaEnds, rotation],
  team: [ownerEnds, policyEnds, keyEnds],
  user: [ownerEnds, policyEnds, keyEnds, rotation],
  client: [ownerEnds, policyEnds, deletion, quotaEnds, tokenEnds],
  signer: [ownerEnds, policyEnds, keyEnds, rotation],
  "own token": [ownerEnds, policyEnds, keyEnds],
  asked: [issuerEnds],
  published: [policyEnds, keySetEnds],
  token: [policyEnds, quotaEnds],
};

const protectedBy = {
  signed: jwt({
    header: "Authorization",
    signingMethod: "ecdsa",
    source: signer.publicKey,
    policyFieldName: "pol",
  }),
  signer: signedRequests({ header: "Authorization" }),
  own: jwtOfKeys({ header: "X-Own", signingMethod: "ecdsa" }),
  asked: introspection({
    header: "X-Asked",
    identity: "oauth_key",
    introspection: { url: `${issuer.url}/introspect` },
  }),
  published: jwt({
    header: "X-Published",
    signingMethod: "ecdsa",
    jwksURIs: [{ url: `${issuer.url}/keys`, cacheTimeout: 400 }],
    policyFieldName: "pol",
  }),
};

/** Gives a new developer a credential of that kind. */
async function give(portal: TestPortal, kind: string): Promise<Given> {
  const isTeam = kind === "team";
  const developer = isTeam ? await createTeam(portal) : await createDeveloper(portal);
  const policy = await createPolicy(portal, `${kind} of ${developer}`);
  const type = { user: "basic", signer: "hmac", "own token": "jwt" }[kind];
  if (type !== undefined) catalogue.push({ policy_id: policy, auth_type: type });
  if (type !== undefined)
    await portal.ask(catalogue.length === 1 ? "POST" : "PUT", "/catalogue", { apis: catalogue });
  const headers = (await credentials[kind]?.(portal, developer, policy)) ?? {};
  const { body } = await portal.ask("GET", `/${isTeam ? "teams" : "developers"}/${developer}`);
  const token = (headers.authorization ?? "").replace("Bearer ", "");
  const key = Object.keys(Object(body.keys))[0] ?? clients.get(token)?.client_id ?? "";
  return { kind, headers, developer, policy, key };
}
let catalogue: object[] = [];

/** A team with a member. */
async function createTeam(portal: TestPortal): Promise<string> {
  const member = await createDeveloper(portal);
  const { body } = await portal.ask("POST", "/teams", { name: `Team of ${member}` });
  const team = String(body.Message);
  await portal.ask("PUT", `/teams/${team}/members/${member}`, { role: "owner" });
  return team;
}

/** What clients see of the end, by the kind of their connection. */
function assertEnd(kind: string, seen: string, what: string): void {
  const shapes: Readonly<Record<string, RegExp>> = {
    events: /^200 event: closed\ndata: \{"error":"[A-Z].+"\}\n\n$/,
    "long poll": /^40[13] \{"error":"[A-Z].+"\}$/,
    "proxied answer": /^cut$/,
    socket: /^1008 [A-Z].+$/,
    "sending socket": /^1008 [A-Z].+$/,
    "proxied socket": /^1006$/,
  };
  assert.match(seen, shapes[kind] ?? /^$/, what);
}

async function startTwo(
  address: Parameters<typeof startPortal>[0],
  environment: Record<string, string>,
  one: boolean,
) {
  const here = lastingApi(upstream.url);
  const page = portalPage;
  const more = { methods: protectedBy, environment, page, countsAsSaid: true };
  const first = await startPortal(address, [], { ...more, api: here.api });
  if (one) return { changed: first, served: first, here, close: () => first.close() };
  const there = lastingApi(upstream.url);
  const second = await startPortal(address, [], { ...more, api: there.api });
  const close = () => Promise.all([first.close(), second.close()]);
  return { changed: first, served: second, here: there, close };
}

const brokers: Broker[] = [];
const settings = {
  "one gateway": {
    kinds: ["key", "client", "asked", "token"],
    start: async () => startTwo(await freshFile(), {}, true),
  },
  "another gateway of the same PostgreSQL and Redis": {
    kinds: Object.keys(ends),
    start: async () => {
      const [server, shared] = await Promise.all([postgres(), redis()]);
      brokers.push(server, shared);
      return startTwo(await freshDatabase(server), { GW_REDIS_URL: shared.address }, false);
    },
  },
};

for (const [title, { start, kinds }] of Object.entries(settings)) {
  test(`open connections end with what lets them in, changed at ${title}`, async () => {
    catalogue = [];
    const { changed, served, here, close } = await start();
    const bystander = await give(changed, "key");
    const stays = await openAll(served.url, bystander.headers);
    try {
      for (const kind of kinds) {
        for (const [name, end] of (ends[kind] ?? []).flatMap((each) => Object.entries(each))) {
          const what = `${kind}: ${name}`;
          const given = await give(changed, kind);
          const open = await openAll(served.url, given.headers);
          await here.feed.deliver(`before ${what}`);
          open.push(await askForNext(served.url, given.headers));
          const answer = await end(changed, given, served);
          assert.ok(answer === undefined || answer.status === 200, `${what}: ${answer?.status}`);
          const begun = Date.now();
          for (const each of open) {
            const seen = await within(each.ended, { what: `the end of ${each.kind}, ${what}` });
            assertEnd(each.kind, seen, `${what}, ${each.kind}`);
          }
          const took = Date.now() - begun;
          assert.ok(took < promised, `${what} took ${took} ms`);
          await here.feed.deliver(`after ${what}`);
          assert.not.ok(
            open.some(({ got }) => got.join().includes(`after ${what}`)),
            what,
          );
        }
      }
      const [events, answer, socket, sending] = stays;
      const last = "after token: its policy is narrowed";
      await until(() => events?.got.join().includes(last) && socket?.got.includes(last));
      sending?.send?.("still here");
      await until(() => here.received.texts.includes("still here"));
      assert.equal(answer?.got, ["first\n"]);
    } finally {
      for (const each of stays) each.close();
      await close();
    }
  });
}

test("connections with a client certificate end with the key that it stands for", async () => {
  const { authority, server, client } = await createCertificates();
  const address = await freshFile();
  const { api, feed } = lastingApi(upstream.url);
  const schemes = { key: authToken({ header: "X-Api-Key" }), certificate: mutualTls({}) };
  const changed = await startPortal(address, [], { api: lastingApi(upstream.url).api, schemes });
  const served = await startPortal(address, [], {
    api,
    schemes,
    tls: () =>
      secureListener({
        cert_file: server.certFile,
        key_file: server.keyFile,
        client_ca_file: authority.certFile,
        client_certificates: "optional",
      }),
  });
  const url = served.url.replace("http:", "https:");
  const tls = { cert: client.cert, key: client.key, ca: authority.cert };
  try {
    const [developer, policy] = [await createDeveloper(changed), await createPolicy(changed, "certificates")];
    await changed.ask("POST", "/catalogue", { apis: [{ policy_id: policy, auth_type: "mutualTLS" }] });
    const asked = { apply_policies: [policy], certificate: client.cert };
    const { body } = await changed.ask("POST", `/developers/${developer}/keys`, asked);
    const open = await socket(`${url.replace("https:", "wss:")}/orders/socket`, tls);
    const events = await new Promise<AsyncIterable<Buffer>>((answered, failed) => {
      request(`${url}/orders/events`, { ...tls, agent: false }, answered)
        .on("error", failed)
        .end();
    });
    const got: string[] = [];
    const read = (async () => {
      for await (const chunk of events) got.push(chunk.toString());
    })();
    await feed.deliver("before");
    await until(() => got.join().includes("before"));
    const begun = Date.now();
    assert.is((await changed.ask("DELETE", `/developers/${developer}/keys/${body.RawKey}`)).status, 200);
    const { code } = await within(open.ended, { what: "the end of the socket" });
    await within(read, { what: "the end of the events" });
    assert.ok(Date.now() - begun < promised);
    // Nobody is left to take it.
    const late = feed.deliver("after").catch(() => "refused");
    await served.close();
    assert.is(await late, "refused");
    assert.is(code, 1008);
    assert.match(got.at(-1) ?? "", /^event: closed\n/);
    assert.equal(open.messages, ["before"]);
  } finally {
    await Promise.all([changed.close(), served.close()]);
  }
});

test("open connections end when their token or key expires", async () => {
  const { api, feed } = lastingApi(upstream.url);
  const expires = Math.floor(Date.now() / 1000) + 2;
  const key = { key_hash: hashKey("until then"), expires };
  const methods = { key: authToken({ header: "X-Api-Key" }), ...protectedBy };
  const gateway = await startGateway(
    [
      {
        ...api,
        protections: () => [
          authentication({ methods, requirements: [{ key: [] }, { signed: [] }] }),
          accessRights(),
        ],
      },
    ],
    {
      parts: {
        keys: () => configuredKeys({ policies: [{ id: "all", access_rights: { orders: {} } }], keys: [key] }),
      },
    },
  );
  try {
    const token = await signer.sign({ sub: "ann", pol: "all", exp: expires });
    const open = await Promise.all([
      openAll(gateway.url, { "X-Api-Key": "until then" }),
      openAll(gateway.url, { authorization: `Bearer ${token}` }),
    ]);
    await feed.deliver("before");
    for (const each of open.flat()) {
      assertEnd(each.kind, await within(each.ended, { what: `the end of ${each.kind}` }), each.kind);
      assert.ok(Date.now() >= expires * 1000, `${each.kind} ended before its time`);
    }
    assert.ok(Date.now() < expires * 1000 + promised);
  } finally {
    await gateway.close();
  }
});

test("a quota that is used up leaves what took its last request, and what ends by itself", async () => {
  const { api, feed } = lastingApi(upstream.url);
  const keys = [
    { key_hash: hashKey("three"), quota_max: 3, quota_renewal_rate: 3600, access_rights: { orders: {} } },
  ];
  const methods = { key: authToken({ header: "X-Api-Key" }) };
  const protections = () => [
    authentication({ methods, requirements: [{ key: [] }] }),
    accessRights(),
    rateLimits(),
  ];
  const parts = { keys: () => configuredKeys({ policies: [], keys }) };
  const gateway = await startGateway([{ ...api, protections }], { parts });
  const headers = { "X-Api-Key": "three" };
  try {
    const whole = await openAnswer("whole answer", `${gateway.url}/orders/whole`, headers);
    const events = await openAnswer("events", `${gateway.url}/orders/events`, headers);
    const last = await askForNext(gateway.url, headers);
    const end = await within(events.ended, { what: "the end of the events" });
    assert.match(end, /^200 event: closed\ndata: \{"error":"Quota exceeded"\}\n\n$/);
    const { status } = await fetch(`${gateway.url}/orders/upstream`, { headers });
    assert.is(status, 403);
    await feed.deliver("for the last");
    assert.is(await last.ended, "200 for the last");
    upstream.finish();
    assert.is(await whole.ended, "200 all\n");
    assert.equal(whole.got, ["not yet ", "all\n"]);
  } finally {
    await gateway.close();
  }
});

test.after(async () => {
  await upstream.close();
  await issuer.close();
  await Promise.all(brokers.map((broker) => broker.stop()));
});
test.run();
