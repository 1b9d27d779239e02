import { randomBytes } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { testedDatabases } from "../store/databases.ts";
import { createDeveloper, inStore, startPortal, type TestPortal, tokens } from "./portals.ts";
import { receiver, verify } from "./receivers.ts";
import { createOffers, publish, publishEvents, subscribe } from "./webhook-parts.ts";

/** Settings that retry after a short time. */
const hasty = { retry_period: 10, max_retry_backoff: 40 };

async function stateOf(portal: TestPortal, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { state } = (await portal.ask("GET", path)).body;
  return typeof state === "object" && state !== null ? { ...state } : {};
}

/** Returns the recorded attempts, newest first, without their times. */
async function attemptsOf(portal: TestPortal, path: string): Promise<readonly object[]> {
  const { recent_attempts: attempts } = await stateOf(portal, path);
  return (attempts as readonly Readonly<Record<string, unknown>>[]).map(({ date, duration, ...attempt }) => {
    assert.ok(Date.parse(String(date)) <= Date.now() && Number(duration) >= 0);
    return attempt;
  });
}

async function isDone(portal: TestPortal, path: string): Promise<boolean> {
  return (await stateOf(portal, path)).waiting === 0;
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: subscribers of exactly the event type receive a signed delivery`, async () => {
    const portal = await startPortal(await fresh());
    const { app } = await createOffers(portal);
    const first = await receiver();
    const second = await receiver();
    const own = await subscribe(portal, app, { url: `${first.url}/hook?a=1` });
    const given = "a secret of my own";
    await subscribe(portal, app, { url: second.url, secret: given, events: ["order.made", "order.paid"] });
    const before = await portal.ask("GET", own.path);
    const tag = before.headers.get("etag") ?? "";
    await publishEvents(portal, [
      { event_type: "order.made", body: '{"a":1}', headers: { "X-Shop": "1", "Webhook-Id": "mine" } },
      { event_type: "order.paid", body: "7", headers: { "Content-Type": "text/plain" } },
      { event_type: "order", body: "nobody" },
      { event_type: "order.made2", body: "nobody" },
    ]);
    await until(() => first.requests.length === 1 && second.requests.length === 2);
    const [made] = first.requests;
    assert.ok(made);
    verify(made, own.secret);
    assert.is(made.path, "/hook?a=1");
    assert.is(made.body, '{"a":1}');
    assert.is(made.headers["content-type"], "application/json");
    assert.is(made.headers["webhook-event"], "order.made");
    assert.is(made.headers["x-shop"], "1");
    assert.match(String(made.headers["webhook-id"]), /^msg_[0-9a-f]{24}$/);
    assert.match(String(made.headers["webhook-timestamp"]), /^\d{10}$/);
    for (const request of second.requests) verify(request, given);
    assert.equal(second.bodies(), ['{"a":1}', "7"]);
    assert.is(second.requests[1]?.headers["content-type"], "text/plain");
    // Attempts are recorded when the sender releases the queue. They change the state, which requests do not write.
    await until(async () => (await attemptsOf(portal, own.path)).length === 1);
    const answerTo = async (method: string, body?: object, headers = {}) =>
      (await portal.ask(method, own.path, body, headers)).status;
    const { url, events } = before.body;
    assert.is(await answerTo("GET", undefined, { "if-none-match": tag }), 200);
    assert.is(await answerTo("PUT", { url, events, description: "mine" }, { "if-match": tag }), 200);
    assert.is(await answerTo("PUT", { url, events }, { "if-match": tag }), 412);
    await Promise.all([portal.close(), first.close(), second.close()]);
    for (const table of ["webhook_events", "webhook_deliveries"] as const) {
      const rows = await inStore(portal.address, (connection) =>
        connection.selectFrom(table).selectAll().execute(),
      );
      assert.equal(rows, [], table);
    }
  });

  test(`${title}: an event secret adds a signature`, async () => {
    const portal = await startPortal(await fresh());
    const { app } = await createOffers(portal);
    const hook = await receiver();
    const { secret } = await subscribe(portal, app, { url: hook.url });
    await publishEvents(portal, [{ event_type: "order.made", body: "1", secret: "secret of the output" }]);
    const [request] = await until(() => hook.requests.length > 0 && hook.requests);
    assert.ok(request);
    assert.is(String(request.headers["webhook-signature"]).split(" ").length, 2);
    verify(request, secret);
    verify(request, "secret of the output");
    assert.throws(() => verify(request, "another secret"));
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: a failed delivery is retried under its id, in order`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: hasty });
    const { app } = await createOffers(portal);
    const hook = await receiver((_, count) => ({ status: count <= 3 ? 500 : 200 }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a", "b", "c");
    await until(() => isDone(portal, path));
    assert.equal(hook.bodies(), ["a", "a", "a", "a", "b", "c"]);
    const ids = hook.requests.map(({ headers }) => headers["webhook-id"]);
    assert.is(new Set(ids.slice(0, 4)).size, 1);
    assert.is(new Set(ids).size, 3);
    const event = "order.made";
    const failed = { delivery: ids[0], event, status: 500, failure: "Answered with status 500" };
    const received = [...ids].slice(3).map((delivery) => ({ delivery, event, status: 200, failure: "" }));
    await until(async () => (await attemptsOf(portal, path)).length === 6);
    assert.equal(await attemptsOf(portal, path), [...received.reverse(), failed, failed, failed]);
    // The latest twenty attempts are kept.
    await publish(portal, ...Array.from({ length: 30 }, (_, index) => String(index)));
    await until(() => isDone(portal, path));
    const last = () => hook.requests.at(-1)?.headers["webhook-id"];
    const log = await until(async () => {
      const found = await attemptsOf(portal, path);
      return hook.requests.length === 36 && JSON.stringify(found[0]).includes(String(last())) && found;
    });
    assert.is(log.length, 20);
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: a slow or unreachable receiver blocks no other`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: hasty });
    const { app } = await createOffers(portal);
    const hung = Promise.withResolvers<object>();
    const slow = await receiver(() => hung.promise);
    const quick = await receiver();
    await subscribe(portal, app, { url: slow.url });
    const away = await subscribe(portal, app, { url: `http://127.0.0.1:${await freePort()}` });
    await subscribe(portal, app, { url: quick.url });
    await publish(portal, "a", "b");
    await until(() => quick.requests.length === 2 && slow.requests.length > 0);
    assert.equal(slow.bodies(), ["a"]);
    const state = await until(async () => {
      const found = await stateOf(portal, away.path);
      return found.attempts !== 0 && found;
    });
    assert.equal([state.waiting, state.last_failure], [2, "The connection failed (ECONNREFUSED)"]);
    const [first] = await until(async () => {
      const found = await attemptsOf(portal, away.path);
      return found.length > 0 && found;
    });
    assert.equal(Object.keys(first ?? {}), ["delivery", "event", "failure"]);
    hung.resolve({});
    await until(() => slow.requests.length === 2);
    await Promise.all([portal.close(), slow.close(), quick.close()]);
  });

  test(`${title}: dead deliveries can be read, replayed under their id, and deleted`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: { ...hasty, max_attempts: 2 } });
    const { app } = await createOffers(portal);
    let status = 503;
    const hook = await receiver(() => ({ status }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a", "b", "c");
    await until(() => isDone(portal, path));
    assert.equal(hook.bodies(), ["a", "a", "b", "b", "c", "c"]);
    const dead = `${path}/dead_deliveries`;
    const { Data } = (await portal.ask("GET", dead)).body;
    assert.is(Data.length, 3);
    const [{ date_created: _, date_given_up: __, ...shown } = {}] = Data;
    const id = String(shown.id);
    assert.equal(shown, { id, event: "order.made", attempts: 2, last_failure: "Answered with status 503" });
    assert.is(hook.requests[0]?.headers["webhook-id"], id);
    const one = (await portal.ask("GET", `${dead}/${id}`)).body;
    assert.equal(
      [one.body, one.headers, "secret" in one],
      ["YQ==", { "content-type": "application/json" }, false],
    );
    assert.is((await portal.ask("GET", `${dead}/${id}x`)).status, 404);
    status = 200;
    assert.is((await portal.ask("POST", `${dead}/${id}/replay`)).body.Message, "1");
    await until(() => hook.requests.length === 7);
    assert.is(hook.requests[6]?.headers["webhook-id"], id);
    assert.is((await portal.ask("POST", `${dead}/${id}/replay`)).status, 404);
    await until(() => isDone(portal, path));
    assert.is((await portal.ask("POST", `${path}/replay`)).body.Message, "2");
    await until(() => hook.requests.length === 9);
    assert.equal(hook.bodies().slice(6), ["a", "b", "c"]);
    assert.equal((await portal.ask("GET", dead)).body.Data, []);
    assert.is((await portal.ask("DELETE", `${dead}/${id}`)).status, 404);
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: deliveries over the waiting limit are dead at once, and the newest dead ones are kept`, async () => {
    const webhooks = {
      ...hasty,
      retry_period: 3_600_000,
      max_retry_backoff: 3_600_000,
      max_waiting: 2,
      max_dead: 2,
    };
    const portal = await startPortal(await fresh(), [], { webhooks });
    const { app } = await createOffers(portal);
    const hook = await receiver(() => ({ status: 500 }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a", "b", "c", "d", "e");
    await publish(portal, "f");
    const { waiting, dead } = await stateOf(portal, path);
    assert.equal([waiting, dead], [2, 2]);
    const list = (await portal.ask("GET", `${path}/dead_deliveries`)).body.Data;
    const bodies = await Promise.all(
      list.map(async ({ id, last_failure }) => [
        Buffer.from(
          String((await portal.ask("GET", `${path}/dead_deliveries/${id}`)).body.body),
          "base64",
        ).toString(),
        last_failure,
      ]),
    );
    assert.equal(bodies, [
      ["e", "2 deliveries waited already"],
      ["f", "2 deliveries waited already"],
    ]);
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: a receiver that answers 410 gets no deliveries until it is enabled again`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: hasty });
    const { app } = await createOffers(portal);
    const hook = await receiver((_, count) => ({ status: count === 1 ? 410 : 200 }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a", "b");
    await until(async () => (await portal.ask("GET", path)).body.disabled === true);
    await publish(portal, "lost");
    assert.is((await portal.ask("POST", `${path}/replay`)).status, 409);
    assert.is((await stateOf(portal, path)).waiting, 2);
    await portal.ask("PUT", path, { url: hook.url, events: ["order.made"] });
    await publish(portal, "c");
    await until(() => isDone(portal, path));
    assert.equal(hook.bodies(), ["a", "a", "b", "c"]);
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: a receiver's Retry-After extends the backoff`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: hasty });
    const { app } = await createOffers(portal);
    const hook = await receiver(() => ({ status: 429, headers: { "retry-after": "600" } }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    const before = Date.now();
    await publish(portal, "a");
    // During an attempt, the next one is due when another replica may take over. The store's clock may be late.
    await until(async () => {
      const { attempts, next_attempt } = await stateOf(portal, path);
      return Number(attempts) > 0 && Date.parse(String(next_attempt)) >= before + 590_000;
    });
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: redirects are not followed`, async () => {
    const portal = await startPortal(await fresh(), [], { webhooks: { ...hasty, max_attempts: 1 } });
    const { app } = await createOffers(portal);
    const elsewhere = await receiver();
    const hook = await receiver(() => ({ status: 307, headers: { location: elsewhere.url } }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a");
    await until(async () => (await stateOf(portal, path)).dead === 1);
    const [dead] = (await portal.ask("GET", `${path}/dead_deliveries`)).body.Data;
    assert.is(dead?.last_failure, "Answered with status 307, and redirects are not followed");
    assert.equal(elsewhere.requests, []);
    await Promise.all([portal.close(), hook.close(), elsewhere.close()]);
  });

  test(`${title}: changes of subscriptions, apps and offers apply from the next event on`, async () => {
    const portal = await startPortal(await fresh());
    const { app, by_user } = await createOffers(portal);
    const hook = await receiver();
    const { path } = await subscribe(portal, app, { url: hook.url });
    await publish(portal, "a");
    await portal.ask("PUT", path, { url: `${hook.url}/moved`, events: ["order.paid"] });
    await publish(portal, "not wanted");
    await publishEvents(portal, [{ event_type: "order.paid", body: "b" }]);
    await portal.ask("PUT", `/apps/${app}`, { name: "Till", by_user });
    await publishEvents(portal, [{ event_type: "order.paid", body: "no product" }]);
    await portal.ask("PUT", `/apps/${app}`, { name: "Till", by_user, products: ["gold"] });
    await publishEvents(portal, [{ event_type: "order.paid", body: "c" }]);
    await until(() => hook.requests.length === 3);
    await portal.ask("DELETE", path);
    await publishEvents(portal, [{ event_type: "order.paid", body: "nobody" }]);
    assert.equal(hook.bodies(), ["a", "b", "c"]);
    assert.equal(
      hook.requests.slice(1).map((request) => request.path),
      ["/moved", "/moved"],
    );
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: removing an event from a product ends its deliveries, and other organisations receive none`, async () => {
    const portal = await startPortal(await fresh());
    const { app } = await createOffers(portal);
    const { path } = await subscribe(portal, app, { url: "http://127.0.0.1:1" });
    const body = { events: [{ event_type: "order.made", body: "YQ==" }] };
    const other = await portal.ask("POST", "/webhooks/events", body, { authorization: tokens.other });
    assert.is(other.status, 200);
    assert.is((await stateOf(portal, path)).waiting, 0);
    await inStore(portal.address, (connection) =>
      connection
        .updateTable("portal_documents")
        .set({ record: JSON.stringify({ apis: [{ policy_id: "gold", webhooks: { enabled: false } }] }) })
        .where("kind", "=", "catalogue")
        .execute(),
    );
    await publish(portal, "a");
    assert.is((await stateOf(portal, path)).waiting, 0);
    await portal.close();
  });

  test(`${title}: inactive developers receive no deliveries`, async () => {
    const portal = await startPortal(await fresh());
    await createOffers(portal);
    const by_user = await createDeveloper(portal, { inactive: true });
    const app = (await portal.ask("POST", "/apps", { name: "a", by_user, products: ["gold"] })).body.Message;
    const { path } = await subscribe(portal, app, { url: "http://127.0.0.1:1" });
    await publish(portal, "a");
    assert.is((await stateOf(portal, path)).waiting, 0);
    await portal.close();
  });

  test(`${title}: several gateways on a store send each delivery once, in order`, async () => {
    const address = await fresh();
    const portals = [await startPortal(address), await startPortal(address), await startPortal(address)];
    const [portal] = portals;
    assert.ok(portal);
    const { app } = await createOffers(portal);
    let most = 0;
    let now = 0;
    const hook = await receiver(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return {};
    });
    const { path } = await subscribe(portal, app, { url: hook.url });
    const numbers = Array.from({ length: 60 }, (_, index) => String(index));
    for (const [index, number] of numbers.entries()) {
      await publish(portals[index % portals.length] ?? portal, number);
    }
    await until(() => isDone(portal, path));
    assert.equal(hook.bodies(), numbers);
    assert.is(most, 1);
    await Promise.all([...portals.map((each) => each.close()), hook.close()]);
  });

  test(`${title}: records that are no longer needed are deleted`, async () => {
    const address = await fresh();
    const date_created = "2020-01-01T00:00:00.000Z";
    const event = { event: "a", date_created, headers: "{}", secret: null, body: "" };
    await inStore(address, async (connection) => {
      await connection
        .insertInto("webhook_events")
        .values(["1", "2"].map((id) => ({ ...event, id })))
        .execute();
      const delivery = { position: 1, id: "msg_1", subscription_id: "gone", event_id: "1" };
      await connection.insertInto("webhook_deliveries").values(delivery).execute();
      const dead = { org_id: "acme", subscription_id: "gone", record: "{}" };
      await connection
        .insertInto("webhook_dead_deliveries")
        .values([
          { ...dead, id: "msg_2", date_created },
          { ...dead, id: "msg_3", date_created: new Date().toISOString() },
        ])
        .execute();
    });
    const portal = await startPortal(address);
    const idsOf = (table: "webhook_events" | "webhook_deliveries" | "webhook_dead_deliveries") =>
      inStore(address, async (connection) => {
        const rows = await connection.selectFrom(table).select("id").execute();
        return rows.map(({ id }) => id);
      });
    await until(async () => (await idsOf("webhook_dead_deliveries")).length === 1);
    assert.equal(await idsOf("webhook_dead_deliveries"), ["msg_3"]);
    assert.equal(await idsOf("webhook_events"), []);
    assert.equal(await idsOf("webhook_deliveries"), []);
    await portal.close();
    const forgetful = await startPortal(address, [], { webhooks: { dead_retention: 0 } });
    await until(async () => (await idsOf("webhook_dead_deliveries")).length === 0);
    await forgetful.close();
  });

  test(`${title}: event secrets are encrypted if there is a key, also in dead deliveries`, async () => {
    const address = await fresh();
    const environment = { GW_WEBHOOK_SECRETS_KEY: randomBytes(32).toString("base64") };
    const portal = await startPortal(address, [], { environment, webhooks: { ...hasty, max_attempts: 1 } });
    const { app } = await createOffers(portal);
    let status = 500;
    const hook = await receiver(() => ({ status }));
    const { path } = await subscribe(portal, app, { url: hook.url });
    const own = "secret of the output";
    await publishEvents(portal, [{ event_type: "order.made", body: "1", secret: own }]);
    await until(async () => (await stateOf(portal, path)).dead === 1);
    const rows = await inStore(address, (connection) =>
      connection.selectFrom("webhook_dead_deliveries").select("record").execute(),
    );
    assert.not.match(JSON.stringify(rows), own);
    status = 200;
    await portal.ask("POST", `${path}/replay`);
    const request = await until(() => hook.requests[1]);
    verify(request, own);
    assert.not.match(JSON.stringify(portal.lines), own);
    await Promise.all([portal.close(), hook.close()]);
  });

  test(`${title}: a set of events is rejected as a whole if one cannot be sent`, async () => {
    const portal = await startPortal(await fresh());
    const ask = async (...events: readonly object[]) => {
      const { status, body } = await portal.ask("POST", "/webhooks/events", { events });
      return [status, ...(body.Errors ?? [])];
    };
    const fine = { event_type: "order.made", body: "YQ==" };
    assert.equal(await ask(fine, { ...fine, body: "a" }), [422, "events.1.body: is not base64"]);
    assert.equal(await ask({ ...fine, headers: { "a b": "1" } }), [
      422,
      "events.0.headers: one is not a valid HTTP header",
    ]);
    assert.equal(await ask({ ...fine, headers: { a: "\u{1F600}" } }), [
      422,
      "events.0.headers: one is not a valid HTTP header",
    ]);
    assert.equal(await ask({ ...fine, secret: "whsec_%%%%%%%%" }), [422, "events.0.secret: cannot sign"]);
    assert.equal(await ask({ ...fine, headers: { a: "x".repeat(8_000) } }), [
      422,
      "events.0.headers: are larger than 8000 bytes",
    ]);
    assert.equal(await ask({ ...fine, event_type: "a\r\nb: c" }), [
      422,
      "events.0.event_type: is not the type of an event",
    ]);
    assert.equal(await ask(), [422, "events: must NOT have fewer than 1 items"]);
    assert.equal(await ask(fine), [200]);
    await portal.close();
  });
}

test.run();
