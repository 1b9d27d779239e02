import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { redis } from "../../harness/brokers.ts";
import { freshFile } from "../store/databases.ts";
import { createPolicy, logIn, startPortal } from "./portals.ts";

const password = "correct horse battery";

const broker = await redis();
for (const [title, environment] of Object.entries({
  "in memory": {},
  "in Redis": { GW_REDIS_URL: broker.address },
})) {
  test(`${title}: developers see what is left of their keys' limits, and reading does not use it up`, async () => {
    const portal = await startPortal(await freshFile(), [], {
      page: portalPage,
      environment,
      countsAsSaid: true,
    });
    const own = { limit: { quota_max: 2, quota_renewal_rate: 3_600 } };
    const [gold, silver] = [
      await createPolicy(portal, "gold", { rate: 1_000, per: 100_000, quota_max: 5 }),
      await createPolicy(portal, "silver", { access_rights: { orders: own } }),
    ];
    const ids: string[] = [];
    for (const name of ["ann", "bob"]) {
      const { body } = await portal.ask("POST", "/developers", { email: `${name}@example.com`, password });
      ids.push(body.Message);
    }
    const give = async (policy: string) =>
      (await portal.ask("POST", `/developers/${ids[0]}/keys`, { apply_policies: [policy] })).body.RawKey;
    const [first, second] = [await give(gold), await give(silver)];
    const ann = await logIn(portal, "ann@example.com", password);
    const ask = (path: string) => ann("GET", path);
    const { body: keys } = await ask("/keys");
    const idOf = (policy: string) =>
      keys.Data.find(({ policies }) => Array.isArray(policies) && policies[0] === policy)?.id;
    const usage = async (policy: string) => (await ask(`/keys/${idOf(policy)}/usage`)).body.Data;
    const fresh = [
      { kind: "rate", scope: "", max: 1_000, period: 100_000, left: 1_000, renews_in: 0 },
      { kind: "quota", scope: "", max: 5, period: 0, left: 5, renews_in: 0 },
    ];
    assert.equal(await usage(gold), fresh);
    assert.equal(await usage(gold), fresh);
    for (const key of [first, first, first, second, second]) {
      assert.is(await portal.call({ "X-Api-Key": key }), 200);
    }
    const [rate, quota] = await usage(gold);
    assert.equal([rate?.left, quota?.left, quota?.renews_in], [997, 2, -1]);
    const [limit, ...others] = await usage(silver);
    assert.equal(
      [others.length, limit?.kind, limit?.scope, limit?.max, limit?.period, limit?.left],
      [0, "quota", "orders", 2, 3_600, 0],
    );
    const renews = Number(limit?.renews_in);
    assert.ok(renews > 3_500 && renews <= 3_600);
    assert.is(await portal.call({ "X-Api-Key": second }), 403);
    assert.is((await usage(silver))[0]?.left, 0);
    const bob = await logIn(portal, "bob@example.com", password);
    assert.is((await bob("GET", `/keys/${idOf(gold)}/usage`)).status, 404);
    await portal.close();
  });
}

test.after(() => broker.stop());

test.run();
