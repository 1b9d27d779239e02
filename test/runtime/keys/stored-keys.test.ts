import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import type { KeyRecord, KeyStore } from "../../../runtime/keys/records.ts";
import { lastingRecords, storedKeys } from "../../../runtime/keys/store-keys.ts";
import { until } from "../../harness/wait.ts";

/** Returns a store with its own clock. The test changes its records. */
function createStore() {
  const keys = new Map<string, KeyRecord>();
  const listeners = new Set<() => void>();
  const state = { time: 0, asked: 0, fails: false };
  const find = async (name: string) => {
    state.asked += 1;
    if (state.fails) throw new GatewayError(503, "the store is away");
    return keys.get(name);
  };
  const store: KeyStore = {
    findKey: find,
    findUser: find,
    findPolicy: async (id) => ({ id, tags: [`tag of ${id}`] }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return { store, keys, state, listeners, tell, sessions: storedKeys(store, { now: () => state.time }) };
}

test("a record is cached for a second", async () => {
  const { keys, state, sessions } = createStore();
  keys.set("a", { apply_policies: ["p"] });
  assert.equal((await sessions.findKey("a"))?.session.tags, ["tag of p"]);
  state.time = 999;
  keys.delete("a");
  assert.ok(await sessions.findKey("a"));
  assert.is(state.asked, 1);
  state.time = 1000;
  assert.is(await sessions.findKey("a"), undefined);
  keys.set("a", {});
  state.time = 1999;
  assert.is(await sessions.findKey("a"), undefined);
  state.time = 2000;
  assert.ok(await sessions.findKey("a"));
});

test("a notified change applies immediately, also to a read in flight", async () => {
  const { keys, state, sessions, tell } = createStore();
  keys.set("a", { alias: "before" });
  const reading = sessions.findKey("a");
  keys.set("a", { alias: "after" });
  tell();
  assert.is((await sessions.findKey("a"))?.session.alias, "after");
  await reading;
  assert.is((await sessions.findKey("a"))?.session.alias, "after");
  assert.is(state.asked, 2);
});

test("concurrent requests with one key read the store once", async () => {
  const { keys, state, sessions } = createStore();
  keys.set("a", {});
  await Promise.all(Array.from({ length: 10 }, () => sessions.findKey("a")));
  assert.is(state.asked, 1);
});

test("unknown keys do not evict known ones", async () => {
  const { keys, state, sessions } = createStore();
  keys.set("a", {});
  await sessions.findKey("a");
  for (let guess = 0; guess < 11_000; guess++) await sessions.findKey(`guess ${guess}`);
  const before = state.asked;
  assert.ok(await sessions.findKey("a"));
  assert.is(state.asked, before);
});

test("a failed read of the store is retried, and users are not keys", async () => {
  const { keys, state, sessions, listeners } = createStore();
  keys.set("a", { username: "a" });
  state.fails = true;
  const refused = await Promise.resolve(sessions.findKey("a")).catch((error: unknown) => error);
  assert.is(refused instanceof GatewayError && refused.status, 503);
  state.fails = false;
  const [key, user] = [await sessions.findKey("a"), await sessions.findUser("a")];
  assert.is.not(key?.session.id, user?.session.id);
  await sessions.close?.();
  assert.is(listeners.size, 0);
});

test("known records stay valid for the grace period while the store is unavailable, unless changed before", async () => {
  const { store, keys, state, tell } = createStore();
  const since: { at: number | undefined } = { at: undefined };
  const records = lastingRecords(store, {
    grace: 5_000,
    unreachableSince: () => since.at,
    now: () => state.time,
  });
  const ask = (name: string) =>
    records.findKey(name).then(
      (found) => found?.alias,
      (error: unknown) => (error instanceof GatewayError ? error.status : error),
    );
  keys.set("a", { alias: "a" });
  keys.set("b", { alias: "b" });
  assert.equal([await ask("a"), await ask("__proto__")], ["a", undefined]);
  state.fails = true;
  assert.equal([await ask("a"), await ask("b"), await ask("__proto__")], ["a", 503, 503]);
  [since.at, state.time] = [1_000, 3_000];
  const asked = state.asked;
  assert.is(await ask("a"), "a");
  assert.is(state.asked, asked, "a store that is away is not waited for");
  assert.equal(records.trouble, {
    text: "The store is unavailable: known keys are accepted for 3 s",
    isRefusing: false,
  });
  state.time = 6_000;
  assert.is(await ask("a"), 503);
  assert.is(records.trouble?.isRefusing, true);
  [since.at, state.fails] = [undefined, false];
  keys.delete("a");
  tell();
  state.fails = true;
  assert.is(await ask("a"), 503, "a key that may have been taken back does not come alive");
  records.close();
});

test("a store that is known to hang delays requests with unknown keys no longer than those with known ones", async () => {
  const hanging: KeyStore = { ...createStore().store, findKey: () => new Promise(() => undefined) };
  const records = lastingRecords(hanging, { grace: 0, unreachableSince: () => 0 });
  const failure = await records.findKey("unknown").catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.is(Object(failure).status, 503);
  records.close();
});

test("a change of one record re-reads the known ones once, and keeps them known", async () => {
  const { store, keys, state, tell } = createStore();
  const reads: (readonly string[])[] = [];
  const findAll: KeyStore["findAll"] = async (kind, names) => {
    if (kind !== "key") return new Map();
    reads.push(names);
    return new Map(names.flatMap((name) => (keys.has(name) ? [[name, keys.get(name) ?? {}]] : [])));
  };
  const options = { grace: 5_000, unreachableSince: () => undefined, now: () => state.time };
  const records = lastingRecords({ ...store, findAll }, options);
  for (const name of ["a", "b", "c"]) {
    keys.set(name, { alias: name });
    await records.findKey(name);
  }
  keys.delete("b");
  keys.set("c", { alias: "another" });
  for (let each = 0; each < 3; each += 1) tell();
  await until(() => reads.length > 0, { what: "what was known to be read again" });
  state.fails = true;
  const aliasOf = async (name: string) => (await records.findKey(name))?.alias;
  assert.equal([await aliasOf("a"), await aliasOf("c")], ["a", "another"]);
  assert.is(await aliasOf("b").catch(({ status }) => status), 503);
  assert.equal(reads, [["a", "b", "c"]], "changes that follow each other are one reading");
  records.close();
});

test.run();
