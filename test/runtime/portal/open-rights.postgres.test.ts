import { test } from "uvu";
import * as assert from "uvu/assert";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { jwt } from "../../../runtime/protections/authentication/jwt.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres, redis } from "../../harness/brokers.ts";
import { until, within } from "../../harness/wait.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { createSigner } from "../protections/authentication/signers.ts";
import { freshDatabase, freshFile } from "../store/databases.ts";
import { askForNext, lastingApi, lastingUpstream, openAll } from "./open-connections.ts";
import { createDeveloper, createPolicy, startPortal, type TestPortal } from "./portals.ts";

/** Milliseconds in which an open connection ends with its right. */
const promised = 2_000;
const upstream = await lastingUpstream();
const signer = await createSigner("ES256");

/** What a caller was given, and by what it can be taken back. */
interface Given {
  readonly headers: Readonly<Record<string, string>>;
  readonly developer: string;
  readonly policy: string;
  readonly key: string;
}

type Give = (portal: TestPortal, developer: string, policy: string) => Promise<Record<string, string>>;

const kinds: Readonly<Record<string, Give>> = {
  async key(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
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

type End = (portal: TestPortal, given: Given) => Promise<unknown>;

const deletesDeveloper: End = (portal, { developer }) => portal.ask("DELETE", `/developers/${developer}`);
async function deactivatesDeveloper(portal: TestPortal, { developer }: Given) {
  const { body } = await portal.ask("GET", `/developers/${developer}`);
  return portal.ask("PUT", `/developers/${developer}`, { ...body, inactive: true });
}
const deletesKey: End = (portal, { developer, key }) =>
  portal.ask("DELETE", `/developers/${developer}/keys/${key}`);
const deletesPolicy: End = (portal, { policy }) => portal.ask("DELETE", `/policies/${policy}`);
async function deniesPolicy(portal: TestPortal, { policy }: Given) {
  const { body } = await portal.ask("GET", `/policies/${policy}`);
  return portal.ask("PUT", `/policies/${policy}`, { ...body, state: "deny" });
}
async function narrowsPolicy(portal: TestPortal, { policy }: Given) {
  const { body } = await portal.ask("GET", `/policies/${policy}`);
  return portal.ask("PUT", `/policies/${policy}`, { ...body, access_rights: { others: {} } });
}
async function revokesToken({ url }: TestPortal, { headers }: Given) {
  const token = (headers.authorization ?? "").replace("Bearer ", "");
  const body = new URLSearchParams({ token, ...clients.get(token) });
  return fetch(`${url}/oauth/revoke`, { method: "POST", body });
}

/** Which ends each kind of credential may come to, and what an open socket is told. */
const ends: Readonly<Record<string, Readonly<Record<string, End>>>> = {
  key: { deletesDeveloper, deactivatesDeveloper, deletesKey, deletesPolicy, deniesPolicy, narrowsPolicy },
  user: { deletesDeveloper, deactivatesDeveloper, deniesPolicy },
  client: { deletesDeveloper, deactivatesDeveloper, revokesToken, narrowsPolicy },
  token: { deletesPolicy, deniesPolicy },
};

const protectedBy = {
  signed: jwt({
    header: "Authorization",
    signingMethod: "ecdsa",
    source: signer.publicKey,
    policyFieldName: "pol",
  }),
};

/** Gives a new developer a credential of that kind. */
async function give(portal: TestPortal, kind: string): Promise<Given> {
  const developer = await createDeveloper(portal);
  const policy = await createPolicy(portal, `${kind} of ${developer}`);
  if (kind === "user") catalogue.push({ policy_id: policy, auth_type: "basic" });
  if (kind === "user")
    await portal.ask(catalogue.length === 1 ? "POST" : "PUT", "/catalogue", { apis: catalogue });
  const headers = (await kinds[kind]?.(portal, developer, policy)) ?? {};
  const { body } = await portal.ask("GET", `/developers/${developer}`);
  return { headers, developer, policy, key: Object.keys(Object(body.keys))[0] ?? "" };
}
let catalogue: object[] = [];

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
  const first = await startPortal(address, [], { api: here.api, methods: protectedBy, environment });
  if (one) return { changed: first, served: first, here, close: () => first.close() };
  const there = lastingApi(upstream.url);
  const second = await startPortal(address, [], { api: there.api, methods: protectedBy, environment });
  const close = () => Promise.all([first.close(), second.close()]);
  return { changed: first, served: second, here: there, close };
}

const brokers: Broker[] = [];
const settings = {
  "one gateway": async () => startTwo(await freshFile(), {}, true),
  "another gateway of the same PostgreSQL and Redis": async () => {
    const [server, shared] = await Promise.all([postgres(), redis()]);
    brokers.push(server, shared);
    return startTwo(await freshDatabase(server), { GW_REDIS_URL: shared.address }, false);
  },
};

for (const [title, start] of Object.entries(settings)) {
  test(`open connections end with what lets them in, changed at ${title}`, async () => {
    catalogue = [];
    const { changed, served, here, close } = await start();
    const bystander = await give(changed, "key");
    const stays = await openAll(served.url, bystander.headers);
    try {
      for (const [kind, ofKind] of Object.entries(ends)) {
        for (const [name, end] of Object.entries(ofKind)) {
          const what = `${kind}: ${name}`;
          const given = await give(changed, kind);
          const open = await openAll(served.url, given.headers);
          await here.feed.deliver(`before ${what}`);
          open.push(await askForNext(served.url, given.headers));
          const begun = Date.now();
          await end(changed, given);
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
      const last = "after token: deniesPolicy";
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

test.after(async () => {
  await upstream.close();
  await Promise.all(brokers.map((broker) => broker.stop()));
});
test.run();
