import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { until } from "../../harness/wait.ts";
import { testedDatabases } from "../store/databases.ts";
import {
  type AskOwn,
  createPolicy,
  inStore,
  logIn,
  type PortalAnswer,
  startPortal,
  type TestPortal,
  tokens,
  writeDocument,
} from "./portals.ts";

const password = "correct horse battery";

/** Starts a portal with developers who are logged in. */
async function startWith<N extends string>(address: Parameters<typeof startPortal>[0], names: readonly N[]) {
  const portal = await startPortal(address, [], { page: portalPage });
  const ids = {} as Record<N, string>;
  const own = {} as Record<N, AskOwn>;
  for (const name of names) {
    ids[name] = done(await portal.ask("POST", "/developers", { email: `${name}@example.com`, password }));
    own[name] = await logIn(portal, `${name}@example.com`, password);
  }
  return { portal, ids, own };
}

/** Checks that a write succeeded and returns its message. */
function done({ status, body }: PortalAnswer): string {
  assert.is(status, 200, JSON.stringify(body));
  return body.Message;
}

async function statusOf(answer: Promise<PortalAnswer>): Promise<number> {
  return (await answer).status;
}

async function stops(portal: TestPortal, key: string): Promise<void> {
  const what = "the end of the key";
  await until(async () => (await portal.call({ "X-Api-Key": key })) !== 200, { what });
}

async function works(portal: TestPortal, key: string): Promise<void> {
  await until(async () => (await portal.call({ "X-Api-Key": key })) === 200, { what: "the key to work" });
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: teams are created, read, renamed, listed and deleted, and are not developers`, async () => {
    const { portal, ids } = await startWith(await fresh(), ["ann"]);
    const team = done(
      await portal.ask("POST", "/teams", { name: " Shipping ", members: [{}], keys: { a: [] } }),
    );
    done(await portal.ask("PUT", `/teams/${team}/members/${ids.ann}`, { role: "owner" }));
    const { date_created: created, ...record } = (await portal.ask("GET", `/teams/${team}`)).body;
    assert.ok(Date.parse(String(created)) > 0);
    assert.equal(record, {
      id: team,
      org_id: "acme",
      name: "Shipping",
      inactive: false,
      keys: {},
      subscriptions: {},
      oauth_clients: {},
      members: [{ developer: ids.ann, email: "ann@example.com", role: "owner" }],
      invitations: [],
    });
    assert.is(await statusOf(portal.ask("POST", "/teams", { name: "SHIPPING" })), 409);
    assert.is(await statusOf(portal.ask("POST", "/teams", { name: " " })), 400);
    assert.is(await statusOf(portal.ask("POST", "/teams", { name: "a\u0001b" })), 400);
    done(await portal.ask("PUT", `/teams/${team}`, { name: "Freight" }));
    const { body: list } = await portal.ask("GET", "/teams");
    assert.equal(
      list.Data.map(({ name, members }) => [name, members]),
      [["Freight", record.members]],
    );
    const { body: developers } = await portal.ask("GET", "/developers");
    assert.equal(
      developers.Data.map(({ id }) => id),
      [ids.ann],
    );
    for (const path of [`/developers/${team}`, "/developers/email/team:freight"]) {
      assert.is(await statusOf(portal.ask("GET", path)), 404, path);
    }
    assert.is(await statusOf(portal.ask("PUT", `/developers/${team}`, { email: "a@example.com" })), 404);
    assert.is(await statusOf(portal.ask("DELETE", `/developers/${team}`)), 404);
    assert.is(await statusOf(portal.ask("DELETE", `/teams/${ids.ann}`)), 404);
    assert.is(await statusOf(portal.ask("GET", `/teams/${ids.ann}`)), 404);
    assert.is(await statusOf(portal.ask("PUT", `/teams/${team}/members/${team}`, { role: "member" })), 400);
    const other = { authorization: tokens.other };
    for (const [method, path] of [
      ["GET", `/teams/${team}`],
      ["DELETE", `/teams/${team}`],
      ["DELETE", `/teams/${team}/members/${ids.ann}`],
      ["PUT", `/teams/${team}`],
    ] as const) {
      const body = method === "PUT" ? { name: "x" } : undefined;
      assert.is(await statusOf(portal.ask(method, path, body, other)), 404, path);
    }
    done(await portal.ask("DELETE", `/teams/${team}`));
    assert.is(await statusOf(portal.ask("GET", `/teams/${team}`)), 404);
    const left = await inStore(portal.address, (connection) =>
      connection.selectFrom("portal_team_members").selectAll().execute(),
    );
    assert.equal(left, []);
    await portal.close();
  });

  test(`${title}: successful changes are audited with their author, rejected ones are not`, async () => {
    const { portal, ids, own } = await startWith(await fresh(), ["ann"]);
    const team = done(await own.ann("POST", "/teams", { name: "Shipping" }));
    assert.is(await statusOf(own.ann("POST", "/teams", { name: "SHIPPING" })), 409);
    done(await portal.ask("PUT", `/teams/${team}`, { name: "Freight" }));
    assert.is(await statusOf(portal.ask("DELETE", `/teams/${ids.ann}`)), 404);
    const policy = await createPolicy(portal, "gold");
    done(await own.ann("DELETE", `/teams/${team}`));
    const entries = async (query: string) =>
      (await portal.ask("GET", `/audit${query}`)).body.Data.map(({ actor, actor_id, action, object }) => [
        ...[actor, actor_id],
        ...[action, object],
      ]);
    const all = [
      ["ann@example.com", ids.ann, "deleteOwnTeam", `/teams/${team}`],
      ["token 1", null, "createPolicy", `/policies/${policy}`],
      ["token 1", null, "replaceTeam", `/teams/${team}`],
      ["ann@example.com", ids.ann, "createOwnTeam", `/teams/${team}`],
      ["token 1", null, "createDeveloper", `/developers/${ids.ann}`],
    ];
    assert.equal(await entries(""), all);
    assert.equal(await entries(`?actor=${ids.ann}&p=2&page_size=1`), [all[3]]);
    assert.equal(await entries("?actor=token+1&action=createPolicy"), [all[1]]);
    // Only the id of a deleted developer remains.
    done(await portal.ask("DELETE", `/developers/${ids.ann}`));
    assert.equal(await entries(`?actor=${ids.ann}&p=2&page_size=1`), [
      [ids.ann, ids.ann, ...(all[3] ?? []).slice(2)],
    ]);
    const others = await portal.ask("GET", "/audit", undefined, { authorization: tokens.other });
    assert.equal(others.body.Data, []);
    await portal.close();
  });

  test(`${title}: keys of a team belong to its members, and end with the team`, async () => {
    const { portal, ids, own } = await startWith(await fresh(), ["ann", "bob", "eve"]);
    const policy = await createPolicy(portal, "gold");
    await writeDocument(portal, "catalogue", {
      apis: [
        {
          policy_id: policy,
          name: "Orders",
          show: true,
          auth_type: "authToken",
          webhooks: { enabled: true, events: ["made"] },
        },
      ],
    });
    const team = done(await own.ann("POST", "/teams", { name: "Shipping" }));
    const of = (path: string) => `/teams/${team}${path}`;
    done(await portal.ask("PUT", `/teams/${team}/members/${ids.bob}`, { role: "member" }));

    const request = done(await own.bob("POST", of("/requests"), { policy }));
    const asked = (await portal.ask("GET", `/requests/${request}`)).body;
    assert.equal([asked.by_user, asked.portal_team], [team, { id: team, name: "Shipping" }]);
    assert.is(asked.portal_developer, undefined);
    assert.is(await statusOf(own.ann("POST", of("/requests"), { policy })), 409);
    assert.is(await statusOf(own.ann("POST", "/requests", { policy })), 200);
    const { RawKey: key } = (await portal.ask("PUT", `/requests/approve/${request}`)).body;
    await works(portal, key);

    const keysOf = async (ask: AskOwn, path: string) => (await ask("GET", path)).body.Data;
    const [mine] = await keysOf(own.ann, of("/keys"));
    assert.equal(await keysOf(own.bob, of("/keys")), [mine]);
    assert.equal(await keysOf(own.bob, "/keys"), []);
    const offers = async (path: string) =>
      (await own.bob("GET", path)).body.Data.map(({ has_access }) => has_access);
    assert.equal([await offers(of("/catalogue")), await offers("/catalogue")], [[true], [false]]);

    const { RawKey: next } = (await own.bob("POST", of(`/keys/${mine?.id}/rotate`))).body;
    await stops(portal, key);
    await works(portal, next);

    const app = done(await own.bob("POST", of("/apps"), { name: "Tracker", products: [policy] }));
    const hook = { url: "http://127.0.0.1:9/hook", events: ["made"] };
    done(await own.ann("POST", of(`/apps/${app}/webhooks`), hook));
    for (const path of ["", "/keys", "/requests", "/apps", "/catalogue", `/apps/${app}/webhooks`]) {
      assert.is(await statusOf(own.eve("GET", of(path))), 404, path);
    }
    assert.is(await statusOf(own.eve("DELETE", of(`/apps/${app}`))), 404);
    assert.is(await statusOf(own.bob("GET", `/apps/${app}/webhooks`)), 404);

    done(await own.ann("DELETE", of(`/members/${ids.bob}`)));
    assert.is(await statusOf(own.bob("GET", of("/keys"))), 404);
    await works(portal, next);
    done(await portal.ask("DELETE", `/developers/${ids.ann}`));
    await works(portal, next);
    assert.equal((await portal.ask("GET", `/teams/${team}`)).body.members, []);

    done(await portal.ask("PUT", `/teams/${team}`, { name: "Shipping", inactive: true }));
    await stops(portal, next);
    assert.is(await statusOf(portal.ask("POST", `/teams/${team}/keys`, { apply_policies: [policy] })), 400);
    done(await portal.ask("PUT", `/teams/${team}`, { name: "Shipping" }));
    await works(portal, next);
    const { RawKey: third } = (await portal.ask("POST", `/teams/${team}/keys`, { apply_policies: [policy] }))
      .body;
    assert.is(
      await statusOf(portal.ask("POST", `/developers/${team}/keys`, { apply_policies: [policy] })),
      404,
    );
    await works(portal, third);

    done(await portal.ask("DELETE", `/teams/${team}`));
    await stops(portal, next);
    await stops(portal, third);
    const left = await inStore(portal.address, async (connection) => [
      await connection.selectFrom("keys").selectAll().execute(),
      await connection.selectFrom("portal_apps").selectAll().execute(),
      await connection.selectFrom("webhook_subscriptions").selectAll().execute(),
      await connection.selectFrom("portal_requests").selectAll().where("by_user", "=", team).execute(),
    ]);
    assert.equal(left, [[], [], [], []]);
    await portal.close();
  });

  test(`${title}: owners invite addresses, known or not, and manage members`, async () => {
    const { portal, ids, own } = await startWith(await fresh(), ["ann", "bob", "eve"]);
    const team = done(await own.ann("POST", "/teams", { name: "Shipping" }));
    const of = (path: string) => `/teams/${team}${path}`;
    const known = await own.ann("POST", of("/invitations"), { email: "Bob@example.com", role: "member" });
    const unknown = await own.ann("POST", of("/invitations"), { email: "who@example.com", role: "owner" });
    assert.equal(known.body, unknown.body);
    assert.equal((await own.bob("GET", "/invitations")).body.Data, [
      { team, name: "Shipping", role: "member" },
    ]);
    assert.equal((await own.eve("GET", "/invitations")).body.Data, []);
    assert.is(await statusOf(own.eve("POST", `/invitations/${team}`)), 404);
    assert.is(await statusOf(own.bob("GET", of(""))), 404);
    done(await own.bob("POST", `/invitations/${team}`));
    assert.is(await statusOf(own.bob("POST", `/invitations/${team}`)), 404);
    assert.equal((await own.bob("GET", "/teams")).body.Data, [
      { id: team, name: "Shipping", role: "member", inactive: false },
    ]);
    const { members, invitations } = (await own.bob("GET", of(""))).body;
    assert.equal(members, [
      { developer: ids.ann, email: "ann@example.com", role: "owner" },
      { developer: ids.bob, email: "bob@example.com", role: "member" },
    ]);
    assert.equal(invitations, [{ email: "who@example.com", role: "owner" }]);

    // Members who are not owners cannot change the team.
    for (const [method, path, body] of [
      ["PUT", "", { name: "Other" }],
      ["DELETE", "", undefined],
      ["PUT", `/members/${ids.bob}`, { role: "owner" }],
      ["DELETE", `/members/${ids.ann}`, undefined],
      ["POST", "/invitations", { email: "eve@example.com", role: "owner" }],
      ["DELETE", "/invitations/who@example.com", undefined],
    ] as const) {
      assert.is(await statusOf(own.bob(method, of(path), body)), 403, `${method} ${path}`);
      assert.is(await statusOf(own.eve(method, of(path), body)), 404, `${method} ${path}`);
    }
    assert.is(
      await statusOf(own.ann("POST", of("/invitations"), { email: "bob@example.com", role: "member" })),
      409,
    );
    assert.is(await statusOf(own.ann("POST", of("/invitations"), { email: "no one", role: "member" })), 400);
    assert.is(await statusOf(own.ann("PUT", of(`/members/${ids.eve}`), { role: "member" })), 404);

    // A team must keep at least one owner.
    assert.is(await statusOf(own.ann("DELETE", of(`/members/${ids.ann}`))), 409);
    assert.is(await statusOf(own.ann("PUT", of(`/members/${ids.ann}`), { role: "member" })), 409);
    done(await own.ann("PUT", of(`/members/${ids.bob}`), { role: "owner" }));
    done(await own.ann("DELETE", of(`/members/${ids.ann}`)));
    assert.is(await statusOf(own.ann("GET", of(""))), 404);

    done(await own.bob("DELETE", of("/invitations/who@example.com")));
    done(await own.bob("POST", of("/invitations"), { email: "eve@example.com", role: "member" }));
    done(await own.eve("DELETE", `/invitations/${team}`));
    assert.equal((await own.eve("GET", "/invitations")).body.Data, []);
    done(await own.bob("PUT", of(""), { name: "Freight" }));
    done(await own.bob("DELETE", of("")));
    assert.equal((await own.bob("GET", "/teams")).body.Data, []);
    await portal.close();
  });
}

test.run();
