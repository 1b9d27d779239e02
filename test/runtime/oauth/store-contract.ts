// The contract of every token store.

import * as assert from "uvu/assert";
import {
  createToken,
  type Grant,
  hashToken,
  type KeptToken,
  type TokenStore,
} from "../../../runtime/oauth/tokens.ts";

function kept(client: string, more: Partial<Grant> = {}): KeptToken {
  const issued = Date.now();
  const grant = { client, scopes: ["a"], family: "one", issued, expires: issued + 60_000, ...more };
  return { hash: hashToken(createToken()), grant };
}

/** The tests by name. Each test uses its own client. */
export const contract: Readonly<Record<string, (store: TokenStore) => Promise<void>>> = {
  async "a token is found by its hash until it expires or is taken back"(store) {
    const [lasting, expired, taken] = [
      kept("found"),
      kept("found", { expires: Date.now() - 1 }),
      kept("found"),
    ];
    for (const token of [lasting, taken]) assert.is(await store.issue(token, undefined, undefined), "kept");
    await store.issue(expired, undefined, undefined);
    assert.equal(await store.findAccess(lasting.hash), lasting.grant);
    assert.is(await store.findAccess(expired.hash), undefined);
    await store.revokeAccess(taken.hash);
    assert.is(await store.findAccess(taken.hash), undefined);
    assert.is(await store.findAccess(hashToken("unknown")), undefined);
    await store.revokeAccess(hashToken("unknown"));
  },

  async "a code is used once, and a second use tells so that what it gave can be taken back"(store) {
    const binding = { redirectUri: "https://shop.example/cb", challenge: "c" };
    const code = kept("coded", { user: "ann", code: binding, family: "of a code" });
    assert.is(await store.keepCode(code), "kept");
    assert.equal(await store.findRefresh(code.hash), code.grant);
    assert.equal(await store.takeRefresh(code.hash), { grant: code.grant, wasSpent: false });
    const token = kept("coded", { user: "ann", family: "of a code" });
    await store.issue(token, undefined, undefined);
    assert.equal(await store.takeRefresh(code.hash), { grant: code.grant, wasSpent: true });
    await store.revokeFamily("coded", "of a code");
    assert.is(await store.findAccess(token.hash), undefined);
  },

  async "tokens that hold are counted by client"(store) {
    const expired = kept("counted", { expires: Date.now() - 1 });
    const [first, second, third] = [kept("counted"), kept("counted"), kept("counted")];
    assert.is(await store.issue(expired, undefined, 2), "kept");
    assert.is(await store.issue(first, undefined, 2), "kept");
    assert.is(await store.issue(second, undefined, 2), "kept");
    assert.is(await store.issue(third, undefined, 2), "limit");
    assert.is(await store.findAccess(third.hash), undefined);
    assert.is(await store.issue(kept("counted by itself"), undefined, 1), "kept");
    await store.revokeAccess(first.hash);
    assert.is(await store.issue(third, undefined, 2), "kept");
  },

  async "however many ask at once, no more than the limit are given"(store) {
    const asked = Array.from({ length: 20 }, () => store.issue(kept("at once"), undefined, 5));
    assert.is((await Promise.all(asked)).filter((result) => result === "kept").length, 5);
  },

  async "a refresh token is used once, ends what was got by it, and tells when it comes again"(store) {
    const [access, refresh, other] = [
      kept("refreshed"),
      kept("refreshed"),
      kept("refreshed", { family: "two" }),
    ];
    await store.issue(access, refresh, undefined);
    await store.issue(other, undefined, undefined);
    assert.equal(await store.findRefresh(refresh.hash), refresh.grant);
    assert.is(await store.findAccess(refresh.hash), undefined);
    assert.is(await store.findRefresh(access.hash), undefined);
    const taken = await Promise.all([store.takeRefresh(refresh.hash), store.takeRefresh(refresh.hash)]);
    assert.equal(taken.map((each) => each?.wasSpent).sort(), [false, true]);
    assert.equal(taken[0]?.grant, refresh.grant);
    assert.is(await store.findRefresh(refresh.hash), undefined);
    assert.is(await store.findAccess(access.hash), undefined);
    assert.ok(await store.findAccess(other.hash));
    assert.is((await store.takeRefresh(refresh.hash))?.wasSpent, true);
    assert.is(await store.takeRefresh(hashToken("unknown")), undefined);
  },

  async "a family is taken back as a whole, and alone"(store) {
    const rows = ["one", "two"].map(
      (family) => [kept("families", { family }), kept("families", { family })] as const,
    );
    for (const [access, refresh] of rows) await store.issue(access, refresh, undefined);
    await store.revokeFamily("families", "one");
    const found = rows.map(async ([access, refresh]) => [
      (await store.findAccess(access.hash)) !== undefined,
      (await store.findRefresh(refresh.hash)) !== undefined,
    ]);
    assert.equal(await Promise.all(found), [
      [false, false],
      [true, true],
    ]);
    await store.revokeFamily("families", "none");
  },

  async "a code is used once, and takes the place of one with the same hash"(store) {
    const code = kept("codes");
    const decided = { ...code, grant: { ...code.grant, user: "ann" } };
    assert.equal([await store.keepCode(code), await store.keepCode(decided)], ["kept", "kept"]);
    assert.equal(await store.findRefresh(code.hash), decided.grant);
    assert.equal(await store.takeRefresh(code.hash), { grant: decided.grant, wasSpent: false });
    assert.is((await store.takeRefresh(code.hash))?.wasSpent, true);
  },

  async "an expired refresh token is none"(store) {
    const refresh = kept("late", { expires: Date.now() - 1 });
    await store.issue(kept("late"), refresh, undefined);
    assert.is(await store.findRefresh(refresh.hash), undefined);
    assert.is(await store.takeRefresh(refresh.hash), undefined);
  },
};

/** A token of a client, for the tests of a single store. */
export { kept };
