import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { oauthServer } from "../../../runtime/oauth/oauth-server.ts";
import { clientAuthority } from "../../../runtime/portal/certificates/authority.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { accessToken } from "../../../runtime/protections/authentication/access-token.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres, redis } from "../../harness/brokers.ts";
import { until, within } from "../../harness/wait.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { freshDatabase, freshFile } from "../store/databases.ts";
import {
  askForNext,
  type Client,
  type LastingApi,
  lastingApi,
  lastingUpstream,
  openAll,
  openAnswer,
  openBegun,
  openSession,
  post,
  statusAt,
} from "./open-connections.ts";
import { inStore, startPortal, type TestPortal } from "./portals.ts";
import {
  ca,
  certificates,
  closeAll,
  ends,
  forgetCatalogue,
  type Given,
  give,
  ofDeveloper,
  openWebhook,
  protectedBy,
  signer,
} from "./rights-that-end.ts";

const upstream = await lastingUpstream();

/**
 * Opens the connections that a credential of that kind keeps open. Resolves when each that receives messages has
 * received one.
 */
async function open(served: TestPortal, { feed, told }: LastingApi, given: Given, first: string) {
  if (given.kind === "session") return [openSession(served.url, given)];
  if (given.kind === "webhook") {
    await told.deliver(first);
    return [openWebhook(given)];
  }
  const all = await openAll(served.url, given);
  await feed.deliver(first);
  all.push(await askForNext(served.url, given));
  return all;
}

/** Checks what clients see at the end, by the kind of their connection. */
function assertEnd(kind: string, seen: string, what: string): void {
  const shapes: Readonly<Record<string, RegExp>> = {
    events: /^200 event: closed\ndata: \{"error":"[A-Z].+"\}\n\n$/,
    "long poll": /^40[13] \{"error":"[A-Z].+"\}$/,
    "proxied answer": /^cut$/,
    socket: /^1008 [A-Z].+$/,
    "sending socket": /^1008 [A-Z].+$/,
    "proxied socket": /^1008 [A-Z].+$/,
    "proxied events": /^200 event: closed\ndata: \{"error":"[A-Z].+"\}\n\n$/,
    "begun event": /^cut$/,
    "begun frame": /^1006$/,
    session: /^401$/,
    webhook: /^$/,
  };
  assert.match(seen, shapes[kind] ?? /^$/, `${what}: ${JSON.stringify(seen)}`);
}

function secure() {
  return secureListener({
    cert_file: certificates.server.certFile,
    key_file: certificates.server.keyFile,
    client_ca_file: certificates.authority.certFile,
    client_certificates: "optional",
  });
}

async function startTwo(
  address: Parameters<typeof startPortal>[0],
  environment: Record<string, string>,
  one: boolean,
) {
  const here = lastingApi(upstream.url, true);
  const page = portalPage;
  const more = { methods: protectedBy, environment, page, countsAsSaid: true };
  const first = await startPortal(address, [], { ...more, api: here.api });
  if (one) return { changed: first, served: first, here, close: () => first.close() };
  const there = lastingApi(upstream.url, true);
  const second = await startPortal(address, [], { ...more, api: there.api, tls: secure });
  const served = { ...second, url: second.url.replace("http:", "https:") };
  const close = () => Promise.all([first.close(), second.close()]);
  return { changed: first, served, here: there, close };
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
  test(`open connections end when what authorizes them is changed at ${title}`, async () => {
    forgetCatalogue();
    const { changed, served, here, close } = await start();
    // The keys of the issuer change for all; sessions and webhooks open no connections.
    const lasting = kinds.filter((kind) => !["published", "session", "webhook"].includes(kind));
    const stays: Awaited<ReturnType<typeof openAll>>[] = [];
    // One after another: credentials of several kinds share the catalogue.
    for (const kind of lasting) stays.push(await openAll(served.url, await give(changed, kind)));
    const subscriber = openWebhook(await give(changed, "webhook"));
    try {
      for (const kind of kinds) {
        for (const [name, end] of (ends[kind] ?? []).flatMap((each) => Object.entries(each))) {
          const what = `${kind}: ${name}`;
          const given = await give(changed, kind);
          const opened = await open(served, here, given, `before ${what}`);
          // If a webhook is disabled before a response is read, the delivery waits until it is enabled again.
          if (kind === "webhook") await allDelivered(changed, `before ${what}`);
          const answer = await end(changed, given, served);
          assert.ok(answer === undefined || answer.status === 200, `${what}: ${answer?.status}`);
          for (const each of opened) {
            const seen = await within(each.ended, { what: `the end of ${each.kind}, ${what}` });
            assertEnd(each.kind, seen, `${what}, ${each.kind}`);
          }
          await here.feed.deliver(`after ${what}`);
          if (kind === "webhook") {
            await here.told.deliver(`after ${what}`);
            await until(() => subscriber.got.includes(`after ${what}`), { what: "the webhook of another" });
            await allDelivered(changed, what);
          }
          assert.not.ok(
            opened.some(({ got }) => got.join().includes(`after ${what}`)),
            what,
          );
        }
      }
      const last = "after token: its policy is narrowed";
      for (const [position, [events, answer, socket, sending]] of stays.entries()) {
        const kind = lasting[position];
        const hasLast = () => events?.got.join().includes(last) && socket?.got.includes(last);
        await until(hasLast, { what: `the last message, ${kind}` });
        sending?.send?.(`still here, ${kind}`);
        const isReceived = () => here.received.texts.includes(`still here, ${kind}`);
        await until(isReceived, { what: `the message of a client that stays, ${kind}` });
        assert.equal(answer?.got, ["first\n"]);
      }
    } finally {
      for (const each of stays.flat()) each.close();
      await close();
    }
  });
}

test("open connections end when their token, key or certificate expires", async () => {
  const { api, feed } = lastingApi(upstream.url);
  // Long enough to open everything on a busy machine.
  const lifetime = 15_000;
  const expires = Math.floor((Date.now() + lifetime) / 1000);
  const asking = await certificates.request("brief");
  const signed = clientAuthority({
    certificate: ca,
    key: certificates.authority.key,
    validity: expires * 1000 - Date.now(),
  }).sign(asking.cert, { name: "brief", organisation: "acme" });
  const rights = { access_rights: { orders: {} } };
  const methods = {
    key: authToken({ header: "X-Api-Key" }),
    token: accessToken({ header: "X-Token" }),
    ...protectedBy,
  };
  const protections = () => [
    authentication({
      methods,
      requirements: ["key", "token", "signed", "own", "certificate"].map((name) => ({ [name]: [] })),
    }),
    accessRights(),
  ];
  const program = { client_id: "till", secret_hash: hashKey("secret"), policy_id: "all" };
  const gateway = await startGateway([{ ...api, protections }], {
    parts: {
      tls: secure,
      oauth: () => oauthServer({ clients: [program], access_token_lifetime: lifetime }),
      keys: () =>
        configuredKeys({
          policies: [{ id: "all", ...rights }],
          keys: [
            { key_hash: hashKey("until then"), expires },
            { key_hash: hashKey("of developer"), jwt_data: { secret: ofDeveloper.publicKey }, ...rights },
            { key_hash: signed.fingerprint, ...rights },
          ],
        }),
    },
  });
  const url = gateway.url.replace("http:", "https:");
  const of = (headers: Client["headers"], more = {}) => openAll(url, { headers, tls: { ca, ...more } });
  try {
    const own = await ofDeveloper.sign({ exp: expires }, { kid: "of developer" });
    const token = await signer.sign({ sub: "ann", pol: "all", exp: expires });
    const form = "grant_type=client_credentials&client_id=till&client_secret=secret";
    const granted = await post(`${url}/oauth/token`, form, { headers: {}, tls: { ca } });
    const open = await Promise.all([
      of({ "X-Api-Key": "until then" }),
      of({ authorization: `Bearer ${token}` }),
      of({ "x-own": `Bearer ${own}` }),
      of({ "x-token": `Bearer ${JSON.parse(granted).access_token}` }),
      of({}, { cert: signed.pem, key: asking.key }),
      openBegun(url, { headers: { "X-Api-Key": "until then" }, tls: { ca } }),
    ]);
    await feed.deliver("before");
    for (const each of open.flat()) {
      assertEnd(each.kind, await within(each.ended, { what: `the end of ${each.kind}` }), each.kind);
      assert.ok(Date.now() >= expires * 1000, `${each.kind} ended before its time`);
      assert.not.ok(each.got.join().includes("after"));
    }
  } finally {
    await gateway.close();
  }
});

test("an exhausted quota leaves the connections of its last request open, and requests that end on their own", async () => {
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
  const caller = { headers: { "X-Api-Key": "three" } };
  try {
    const whole = await openAnswer("whole answer", `${gateway.url}/orders/whole`, caller);
    const events = await openAnswer("events", `${gateway.url}/orders/events`, caller);
    const last = await askForNext(gateway.url, caller);
    const end = await within(events.ended, { what: "the end of the events" });
    assert.match(end, /^200 event: closed\ndata: \{"error":"Quota exceeded"\}\n\n$/);
    assert.is(await statusAt(`${gateway.url}/orders/upstream`, caller), 403);
    await feed.deliver("for the last");
    assert.is(await last.ended, "200 for the last");
    upstream.finish();
    assert.is(await whole.ended, "200 all\n");
    assert.equal(whole.got, ["not yet ", "all\n"]);
  } finally {
    await gateway.close();
  }
});

/** Waits until no delivery to a webhook is pending. */
async function allDelivered({ address }: TestPortal, what: string): Promise<void> {
  const waiting = () =>
    inStore(address, (connection) => connection.selectFrom("webhook_deliveries").select("id").execute());
  await until(async () => (await waiting()).length === 0, { what: `${what}: no delivery waits` });
}

test.after(async () => {
  await upstream.close();
  await closeAll();
  await Promise.all(brokers.map((broker) => broker.stop()));
});
test.run();
