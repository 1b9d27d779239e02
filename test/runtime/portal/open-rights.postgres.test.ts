import { test } from "uvu";
import * as assert from "uvu/assert";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { oauthServer } from "../../../runtime/oauth/oauth-server.ts";
import { clientAuthority } from "../../../runtime/portal/certificates/authority.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { accessToken } from "../../../runtime/protections/authentication/access-token.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import { within } from "../../harness/wait.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import {
  assertEnd,
  closeEverything,
  secure,
  testAnotherGateway,
  testOneGateway,
  upstream,
} from "./changed-rights.ts";
import {
  askForNext,
  type Client,
  lastingApi,
  openAll,
  openAnswer,
  openBegun,
  post,
  statusAt,
} from "./open-connections.ts";
import { ca, certificates, ends, ofDeveloper, protectedBy, signer } from "./rights-that-end.ts";

const { key = [], client = [], asked = [], token = [] } = ends;
testOneGateway({ key, client, asked, token });
// A change reaches another gateway in the same way for each kind of credential: all changes are tried with two kinds,
// and the last change with the others. `open-rights.long.postgres.test.ts` tries all changes with all kinds.
testAnotherGateway({
  ...Object.fromEntries(Object.entries(ends).map(([kind, all]) => [kind, all.slice(-1)])),
  key,
  token,
});

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

test.after(closeEverything);
test.run();
