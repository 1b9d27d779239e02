import { createHmac, X509Certificate } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { jwtOfKeys } from "../../../runtime/protections/authentication/jwt-of-keys.ts";
import { mutualTls } from "../../../runtime/protections/authentication/mutual-tls.ts";
import { signedRequests } from "../../../runtime/protections/authentication/signed-requests.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { createSigner, signWith } from "../protections/authentication/signers.ts";
import { freshFile, testedDatabases } from "../store/databases.ts";
import {
  createDeveloper,
  createPolicy,
  developerRecord,
  inStore,
  startPortal,
  type TestPortal,
  tokens,
  writeDocument,
} from "./portals.ts";

const other = { authorization: tokens.other };

/** Creates a request for a policy and returns its id. */
async function createRequest(portal: TestPortal, by_user: string, policy: string, more: object = {}) {
  const { status, body } = await portal.ask("POST", "/requests", {
    by_user,
    apply_policies: [policy],
    version: "v2",
    ...more,
  });
  assert.is(status, 200, body.Message);
  return body.Message;
}

function countKeys({ address }: TestPortal): Promise<number> {
  return inStore(address, async (connection) => {
    const rows = await connection.selectFrom("keys").select("key_hash").execute();
    return rows.length;
  });
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: requests are created, read, replaced, listed and deleted`, async () => {
    const portal = await startPortal(await fresh());
    const policy = await createPolicy(portal, "gold");
    const user = await createDeveloper(portal, { password: "$argon2id$x", PWHistory: ["$argon2id$y"] });
    await writeDocument(portal, "catalogue", {
      apis: [{ name: "Orders", policy_id: policy, version: "v2" }],
    });
    const id = await createRequest(portal, user, policy, { approved: true, fields: { why: "tests" } });
    const { body } = await portal.ask("GET", `/requests/${id}`);
    const { date_created: created, ...record } = body;
    assert.match(String(created), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(record, {
      id,
      key: "",
      org_id: "acme",
      for_api: "",
      for_plan: "",
      apply_policies: [policy],
      remove_policies: [],
      by_user: user,
      fields: { why: "tests" },
      approved: false,
      version: "v2",
      jwt_secret: "",
      certificate: "",
      portal_developer: { id: user, email: `${user}@example.com`, org_id: "acme", PWHistory: [] },
      catalogue_entry: { name: "Orders", policy_id: policy, version: "v2" },
      catalogues: [{ name: "Orders", policy_id: policy, version: "v2" }],
    });
    const replaced = await portal.ask("PUT", `/requests/${id}`, { ...body, fields: {}, for_plan: policy });
    assert.equal(replaced.body, { Status: "OK", Message: id, Meta: null });
    const updated = await portal.ask("UPDATE", `/requests/${id}`, { by_user: user, for_plan: policy });
    assert.equal(updated.body, { Status: "OK", Message: id, Meta: null });
    assert.is((await portal.ask("UPDATE", "/requests", {})).status, 405);
    const again = (await portal.ask("GET", `/requests/${id}`)).body;
    assert.equal([again.fields, again.for_plan, again.date_created], [{}, policy, created]);
    const found = async (query: string) =>
      (await portal.ask("GET", `/requests?${query}`)).body.Data?.map((each) => each.id);
    const later = await createDeveloper(portal);
    const silver = await createPolicy(portal, "100%");
    const last = await createRequest(portal, later, silver);
    for (const [text, ids] of [
      ["RDER", [id]],
      [policy, [id]],
      [`${later}@EXAMPLE`, [last]],
      [last, [last]],
      ["", [id, last]],
      ["%", []],
      ["_", []],
      ["tests", []],
    ] as const)
      assert.equal(await found(`q=${encodeURIComponent(text)}`), ids, text);
    assert.equal(await found("q=example.com&sort=-date_created&page_size=1"), [last]);
    assert.equal(await found("q=example.com&approved=true"), []);
    assert.equal(await found("sort=-name&page_size=1&p=2"), [last]);
    assert.is((await portal.ask("GET", "/requests?sort=size")).status, 422);
    assert.is((await portal.ask("DELETE", `/requests/${last}`)).status, 200);
    const second = await createRequest(portal, user, policy);
    await portal.ask("PUT", `/requests/approve/${second}`);
    const ids = async (query: string) =>
      (await portal.ask("GET", `/requests${query}`)).body.Data.map((each) => each.id);
    assert.equal(await ids(""), [id, second]);
    assert.equal(await ids("?approved=false"), [id]);
    assert.equal(await ids("?approved=true"), [second]);
    assert.equal(await ids("?p=2&page_size=1"), [second]);
    const deleted = await portal.ask("DELETE", `/requests/${id}`);
    assert.equal(deleted.body, { Status: "OK", Message: "Data deleted", Meta: null });
    assert.is((await portal.ask("GET", `/requests/${id}`)).status, 404);
    await portal.close();
  });

  test(`${title}: requests are found and sorted by the names that the catalogue and owners have now`, async () => {
    const portal = await startPortal(await fresh());
    const policies = await Promise.all(["one", "two", "three"].map((name) => createPolicy(portal, name)));
    const [one = "", two = "", three = ""] = policies;
    const people = [await createDeveloper(portal), await createDeveloper(portal)];
    const [ann = "", ben = ""] = people;
    const write = async (method: string, path: string, body: object) => {
      const answer = await portal.ask(method, path, body);
      assert.is(answer.status, 200, JSON.stringify(answer.body));
    };
    const team = (await portal.ask("POST", "/teams", { name: "Crew" })).body.Message;
    const first = await createRequest(portal, ann, one);
    const second = await createRequest(portal, ben, two);
    const third = await createRequest(portal, team, three);
    const found = async (query: string) =>
      (await portal.ask("GET", `/requests?${query}`)).body.Data?.map((each) => each.id);
    const entries = (...names: readonly string[]) => ({
      apis: names.map((name, index) => ({ name, policy_id: policies[index], version: "v2" })),
    });
    await write("POST", "/catalogue", entries("a b", "Ä", "ab"));
    assert.equal(await found("sort=name"), [first, third, second], "by code points, on every database");
    assert.equal(await found(`q=${encodeURIComponent("ä")}`), [second]);
    await write("PUT", "/catalogue", entries("c\ud800", "b", "x".repeat(5000)));
    assert.equal(await found("sort=-name"), [third, first, second]);
    assert.equal(await found("q=a%20b"), []);
    assert.equal(await found(`q=${"X".repeat(4000)}`), [third]);
    await write("PUT", `/developers/${ann}`, { email: "Zoe@example.com" });
    await write("PUT", `/developers/${ben}`, { email: "amy@example.com" });
    await write("PUT", `/teams/${team}`, { name: "Mates" });
    assert.equal(await found("sort=developer"), [second, third, first]);
    assert.equal(await found("q=ZOE%40"), [first]);
    assert.equal(await found("q=mate"), [third]);
    assert.equal(await found("q=crew"), []);
    await write("PUT", `/requests/${second}`, { by_user: ann, apply_policies: [two], version: "v2" });
    assert.equal(await found("q=zoe&sort=-developer&page_size=1&p=2"), [second]);
    await portal.close();
  });

  test(`${title}: a key grants access once its request is approved, and not before`, async () => {
    const portal = await startPortal(await fresh());
    const policy = await createPolicy(portal, "gold");
    const user = await createDeveloper(portal);
    const id = await createRequest(portal, user, policy);
    assert.is(await portal.call({ "X-Api-Key": "guess" }), 403);
    assert.is(await portal.call(), 401);
    const { status, body } = await portal.ask("PUT", `/requests/approve/${id}`);
    assert.equal([status, Object.keys(body), body.Password], [200, ["RawKey", "Password"], ""]);
    assert.is(await portal.call({ "X-Api-Key": body.RawKey }), 200);
    assert.is((await portal.ask("GET", `/requests/${id}`)).body.approved, true);
    const developer = await developerRecord(portal, user);
    const [key = ""] = Object.keys(Object(developer.keys));
    assert.equal(developer.keys, { [key]: [policy] });
    assert.equal(developer.subscriptions, { [policy]: key });
    const again = await portal.ask("PUT", `/requests/approve/${id}`);
    assert.equal(
      [again.status, again.body],
      [400, { Status: "Error", Message: "Key request has already been processed.", Meta: null }],
    );
    const kept = await inStore(portal.address, (connection) =>
      connection.selectFrom("keys").selectAll().execute(),
    );
    assert.not.ok(JSON.stringify([kept, developer, portal.lines]).includes(body.RawKey));
    await portal.close();
  });

  test(`${title}: of two concurrent approvals one issues a key`, async () => {
    const address = await fresh();
    const portals = [await startPortal(address), await startPortal(address)] as const;
    const [portal] = portals;
    const user = await createDeveloper(portal);
    const policy = await createPolicy(portal, "gold");
    for (let round = 1; round <= 5; round += 1) {
      const id = await createRequest(portal, user, policy);
      const answers = await Promise.all(
        [...portals, ...portals].map((each) => each.ask("PUT", `/requests/approve/${id}`)),
      );
      assert.equal(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400]);
      assert.is(await countKeys(portal), round);
    }
    // Two requests of one developer are approved concurrently: both keys are recorded.
    const ids = [
      await createRequest(portal, user, policy),
      await createRequest(portal, user, policy, { version: "v3" }),
    ];
    await Promise.all(ids.map((id, index) => portals[index]?.ask("PUT", `/requests/approve/${id}`)));
    assert.is(Object.keys(Object((await developerRecord(portal, user)).keys)).length, 7);
    for (const each of portals) await each.close();
  });

  test(`${title}: a duplicate of an open request is answered with that request`, async () => {
    const address = await fresh();
    const portals = [await startPortal(address), await startPortal(address)] as const;
    const [portal] = portals;
    const [gold, silver] = [await createPolicy(portal, "gold"), await createPolicy(portal, "silver")];
    const [user, somebody] = [await createDeveloper(portal), await createDeveloper(portal)];
    const same = { by_user: user, apply_policies: [gold, silver], version: "v2" };
    const answers = await Promise.all(
      [...portals, ...portals].map((each) => each.ask("POST", "/requests", same)),
    );
    assert.equal(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
    const first = answers.find(({ status }) => status === 200)?.body.Message ?? "";
    for (const body of [
      { ...same, apply_policies: [silver, gold, silver] },
      { ...same, fields: { why: "another reason" } },
    ]) {
      const refused = await portal.ask("POST", "/requests", body);
      assert.equal(
        [refused.status, refused.body],
        [
          409,
          {
            Status: "Error",
            Message: "This has already been requested and is waiting for approval.",
            Meta: null,
            Errors: [{ request: first }],
          },
        ],
      );
    }
    for (const body of [
      { ...same, by_user: somebody },
      { ...same, apply_policies: [gold] },
      { ...same, version: "v1" },
      { ...same, for_api: "orders" },
      { ...same, key: "a key" },
    ]) {
      assert.is((await portal.ask("POST", "/requests", body)).status, 200, JSON.stringify(body));
    }
    // A request can be changed, but must not become equal to another one.
    assert.is((await portal.ask("PUT", `/requests/${first}`, { ...same, fields: { why: "a" } })).status, 200);
    const taken = await portal.ask("PUT", `/requests/${first}`, { ...same, apply_policies: [gold] });
    assert.is(taken.status, 409);
    await portal.ask("PUT", `/requests/approve/${first}`);
    const next = await portal.ask("POST", "/requests", same);
    assert.is(next.status, 200);
    assert.is((await portal.ask("PUT", `/requests/${first}`, same)).status, 200);
    await portal.ask("DELETE", `/requests/${next.body.Message}`);
    assert.is((await portal.ask("POST", "/requests", same)).status, 200);
    for (const each of portals) await each.close();
  });

  test(`${title}: users and OAuth clients are issued where the catalogue asks for them`, async () => {
    const portal = await startPortal(await fresh());
    const [plain, secret] = [await createPolicy(portal, "basic"), await createPolicy(portal, "oauth")];
    await writeDocument(portal, "catalogue", {
      apis: [
        { policy_id: plain, auth_type: "basic" },
        { policy_id: secret, auth_type: "oauth" },
      ],
    });
    const user = await createDeveloper(portal);
    const basic = await portal.ask("PUT", `/requests/approve/${await createRequest(portal, user, plain)}`);
    const encoded = Buffer.from(`${basic.body.RawKey}:${basic.body.Password}`).toString("base64");
    assert.is(await portal.call({ authorization: `Basic ${encoded}` }), 200);
    // The name under which users are stored is not a key.
    assert.is(await portal.call({ "X-Api-Key": `user-${basic.body.RawKey}` }), 403);

    const asked = await createRequest(portal, user, secret, {
      oauth_info: { redirect_uri: "https://a.example/back" },
      fields: { oauth_app_description: "App", oauth_use_case: "Tests" },
    });
    const { body } = await portal.ask("PUT", `/requests/approve/${asked}`);
    assert.equal(Object.keys(body), ["client_id", "secret", "policy_id", "redirect_uri"]);
    assert.equal([body.policy_id, body.redirect_uri], [secret, "https://a.example/back"]);
    const granted = await fetch(`${portal.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: String(body.client_id),
        client_secret: String(body.secret),
      }),
    });
    const { access_token: token } = JSON.parse(await granted.text());
    assert.is(await portal.call({ authorization: `Bearer ${token}` }), 200);
    const developer = await developerRecord(portal, user);
    const [client] = Object(developer.oauth_clients)[secret];
    assert.equal([client.client_id, client.secret, client.use_case], [body.client_id, "", "Tests"]);
    assert.not.ok(JSON.stringify(developer).includes(String(body.secret)));
    await portal.close();
  });

  test(`${title}: keys are extended, and requests approved at once, if the portal is configured so`, async () => {
    const portal = await startPortal(await fresh());
    const [bronze, gold] = [
      await createPolicy(portal, "bronze", { access_rights: {} }),
      await createPolicy(portal, "gold"),
    ];
    await writeDocument(portal, "configuration", {
      enable_multi_selection: true,
      require_key_approval: false,
    });
    const user = await createDeveloper(portal);
    const first = await portal.ask("POST", "/requests", { by_user: user, for_plan: bronze });
    const { RawKey: key } = Object(first.body.Meta);
    assert.is((await portal.ask("GET", `/requests/${first.body.Message}`)).body.approved, true);
    assert.is(await portal.call({ "X-Api-Key": key }), 403);
    const second = await portal.ask("POST", "/requests", {
      by_user: user,
      apply_policies: [gold],
      remove_policies: [bronze],
    });
    assert.equal(second.body.Meta, { RawKey: "", Password: "" });
    assert.is(await countKeys(portal), 1);
    const developer = await developerRecord(portal, user);
    assert.equal(Object.values(Object(developer.keys)), [[gold]]);
    assert.equal(Object.keys(Object(developer.subscriptions)), [gold]);
    await until(async () => (await portal.call({ "X-Api-Key": key })) === 200);
    await portal.close();
  });

  test(`${title}: requests for missing things are rejected, and stay unchanged`, async () => {
    const portal = await startPortal(await fresh(), [
      { id: "configured", access_rights: { orders: {} } },
      { id: "foreign", org_id: "other" },
    ]);
    const policy = await createPolicy(portal, "gold");
    const user = await createDeveloper(portal);
    const post = async (body: object, headers = {}) => {
      const answer = await portal.ask("POST", "/requests", body, headers);
      return [answer.status, answer.body.Message];
    };
    const missing = async (body: object, headers = {}) => {
      const answer = await portal.ask("POST", "/requests", { by_user: user, ...body }, headers);
      assert.equal([answer.status, answer.body.Message], [400, "No policy found!"]);
      return answer.body.Errors;
    };
    const unknown = (field: string, id: string) => [
      `${field}: \`${id}\` is not a policy of the organisation`,
    ];
    assert.equal(await missing({}), ["apply_policies: names no policy"]);
    assert.equal(await missing({ for_plan: "foreign" }), unknown("for_plan", "foreign"));
    assert.equal(await missing({ apply_policies: [policy, "none"] }), unknown("apply_policies", "none"));
    assert.equal(await post({ by_user: "nobody", for_plan: policy }), [400, "No developer found!"]);
    assert.equal(await missing({ for_plan: policy }, other), unknown("for_plan", policy));
    assert.equal(await post({ for_plan: 1 }), [422, "Key request object validation failed."]);
    const id = await createRequest(portal, user, "configured");
    for (const [method, path, body] of [
      ["GET", `/requests/${id}`, undefined],
      ["PUT", `/requests/${id}`, { by_user: user, for_plan: policy }],
      ["DELETE", `/requests/${id}`, undefined],
      ["PUT", `/requests/approve/${id}`, undefined],
      ["PUT", "/requests", { id }],
    ] as const) {
      assert.is((await portal.ask(method, path, body, other)).status, 404, `${method} ${path}`);
    }
    assert.is((await portal.ask("PUT", `/requests/approve/${id}`, { id: "somebody else" })).status, 400);
    const wrong = await portal.ask("PUT", `/requests/approve/${id}`, {
      id: user,
      email: 1,
      keys: [],
      inactive: "no",
    });
    assert.is(wrong.status, 422);
    assert.equal(wrong.body.Errors, [
      "email: must be string",
      "inactive: must be boolean",
      "keys: must be object",
    ]);
    assert.is(await countKeys(portal), 0);
    const { body } = await portal.ask("PUT", "/requests", { id });
    assert.is(await portal.call({ "X-Api-Key": body.RawKey }), 200);
    // If a policy was deleted in the meantime, the request remains unchanged.
    const late = await createRequest(portal, user, policy);
    await portal.ask("DELETE", `/policies/${policy}`);
    const refused = await portal.ask("PUT", `/requests/approve/${late}`);
    assert.equal([refused.status, refused.body.Message], [400, "No policy found!"]);
    assert.is((await portal.ask("GET", `/requests/${late}`)).body.approved, false);
    assert.is(await countKeys(portal), 1);
    await portal.close();
  });
}

test("an approval issues what the API accepts, and one that would grant nothing is rejected with the reason", async () => {
  const hmacToken = { header: "Authorization", signingMethod: "hmac" };
  const portal = await startPortal(await freshFile(), [], {
    methods: {
      signature: signedRequests({ header: "Authorization" }),
      ownToken: jwtOfKeys({ header: "Authorization", signingMethod: "ecdsa" }),
      madeToken: jwtOfKeys(hmacToken),
      certificate: mutualTls({}),
    },
  });
  const [signing, tokenSigning, shown] = [
    await createPolicy(portal, "hmac"),
    await createPolicy(portal, "jwt"),
    await createPolicy(portal, "certificates"),
  ];
  await writeDocument(portal, "catalogue", {
    apis: [
      { policy_id: signing, auth_type: "hmac" },
      { policy_id: tokenSigning, auth_type: "jwt" },
      { policy_id: shown, auth_type: "mutualTLS" },
    ],
  });
  const user = await createDeveloper(portal);
  const approve = async (policy: string, more: object = {}) => {
    const id = await createRequest(portal, user, policy, more);
    const answer = await portal.ask("PUT", `/requests/approve/${id}`);
    if (answer.status !== 200) await portal.ask("DELETE", `/requests/${id}`);
    return answer;
  };

  const signer = (await approve(signing)).body;
  const date = new Date().toUTCString();
  const signature = createHmac("sha256", signer.Password).update(`date: ${date}`).digest("base64");
  const authorization = `Signature keyId="${signer.RawKey}",algorithm="hmac-sha256",headers="date",signature="${signature}"`;
  assert.is(await portal.call({ authorization, date }), 200);
  assert.is(await portal.call({ "X-Api-Key": signer.RawKey }), 403);

  const made = (await approve(tokenSigning)).body;
  const ofSecret = await signWith(Buffer.from(made.Password), {}, { alg: "HS256", kid: made.RawKey });
  assert.is(await portal.call({ authorization: `Bearer ${ofSecret}` }), 200);
  const keys = await createSigner("ES256");
  const brought = (await approve(tokenSigning, { jwt_secret: keys.publicKey })).body;
  assert.is(brought.Password, "");
  const ofKey = await keys.sign({}, { kid: brought.RawKey });
  assert.is(await portal.call({ authorization: `Bearer ${ofKey}` }), 200);
  assert.is(await portal.call({ authorization: `Bearer ${await keys.sign({}, { kid: made.RawKey })}` }), 403);

  const { client, authority, server } = await createCertificates();
  const fingerprint = new X509Certificate(client.cert).fingerprint256.replaceAll(":", "").toLowerCase();
  const { body } = await approve(shown, { certificate: client.cert });
  assert.equal(body, { RawKey: fingerprint, Password: "" });
  assert.ok(Object.hasOwn(Object((await developerRecord(portal, user)).keys), fingerprint));

  const refused = [
    [shown, { certificate: client.cert }, 409, "A key already has this certificate."],
    [shown, {}, 400, "`certificate` is missing: the API asks for certificates."],
    [shown, { certificate: authority.cert }, 400, "`certificate` is that of an authority, not of a client."],
    [shown, { certificate: "PEM" }, 400, "`certificate` is not one certificate in PEM."],
    [
      shown,
      { certificate: `${client.cert}${server.cert}` },
      400,
      "`certificate` is not one certificate in PEM.",
    ],
    [tokenSigning, { jwt_secret: "short" }, 400, "`jwt_secret` is shorter than 32 bytes."],
    [tokenSigning, { jwt_secret: client.key }, 400, "`jwt_secret` is a private key; send the public one."],
    [
      tokenSigning,
      { jwt_secret: "http://keys.example/jwks" },
      400,
      "`jwt_secret` is an address without a key set: it is not an address of https.",
    ],
    [
      tokenSigning,
      { jwt_secret: "https://127.0.0.1/jwks" },
      400,
      "`jwt_secret` is an address without a key set: The address is not public.",
    ],
  ] as const;
  for (const [policy, more, status, message] of refused) {
    const answer = await approve(policy, more);
    assert.equal([answer.status, answer.body.Message], [status, message]);
  }
  await portal.close();
});

test.run();
