import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../../runtime/errors.ts";
import type { Caller } from "../../../../runtime/keys/session.ts";
import {
  type AuthenticationOutcome,
  decide,
  disallowed,
} from "../../../../runtime/protections/authentication/decide.ts";
import { type Identity, renewable } from "../../../../runtime/protections/authentication/method.ts";
import { sessionOf } from "../sessions.ts";

type Seen = "right" | "wrong" | "absent";

const identities: Readonly<Record<string, Identity>> = {
  a: "auth_token",
  b: "basic_auth_user",
  c: "jwt_claim",
};

/** Returns the outcome for the results of schemes `a`, `b` and `c`: `caller`, `nobody` or a refusal's status. */
function outcomeOf(
  written: readonly Readonly<Record<string, readonly string[]>>[],
  seen: Readonly<Record<string, Seen>>,
): string {
  const requirements = written.map((requirement) => new Map(Object.entries(requirement)));
  const outcomes = new Map<string, AuthenticationOutcome>();
  for (;;) {
    const decision = decide(requirements, outcomes, undefined);
    if ("result" in decision) {
      const { result } = decision;
      return result instanceof GatewayError ? String(result.status) : (result?.token ?? "nobody");
    }
    const { ask } = decision;
    assert.not(outcomes.has(ask), "each scheme is asked once");
    outcomes.set(ask, {
      identity: identities[ask] ?? "custom_auth",
      authentication: authenticationOf(ask, seen),
    });
  }
}

function authenticationOf(
  scheme: string,
  seen: Readonly<Record<string, Seen>>,
): Caller | undefined | GatewayError {
  if (seen[scheme] === "right") return { token: scheme, scopes: new Set(["read"]) };
  return seen[scheme] === "wrong" ? new GatewayError(403, "wrong") : undefined;
}

test("one requirement suffices, and all its schemes are needed", () => {
  const a = { a: [] };
  const both = { a: [], b: [] };
  const rows: readonly [Parameters<typeof outcomeOf>[0], Readonly<Record<string, Seen>>, string][] = [
    [[], { a: "wrong" }, "nobody"],
    [[a], {}, "401"],
    [[a], { a: "right" }, "a"],
    [[a], { a: "wrong" }, "403"],
    [[a], { b: "right" }, "401"],
    [[both], { a: "right" }, "401"],
    [[both], { b: "right" }, "401"],
    [[both], { a: "right", b: "wrong" }, "403"],
    [[both], { a: "right", b: "right" }, "a"],
    [[a, { b: [] }], { b: "right" }, "b"],
    [[a, { b: [] }], { a: "wrong", b: "right" }, "b"],
    [[a, { b: [] }], { a: "right", b: "wrong" }, "a"],
    [[a, { b: [] }], { b: "wrong" }, "403"],
    [[both, { c: [] }], { a: "right", c: "right" }, "c"],
    [[both, { c: [] }], { a: "right" }, "401"],
    [[{}], {}, "nobody"],
    [[{}, a], { a: "right" }, "a"],
    [[{}, a], {}, "nobody"],
    [[{}, a], { a: "wrong" }, "403"],
    [[a, {}], { a: "wrong" }, "403"],
    [[{ a: ["read"] }], { a: "right" }, "a"],
    [[{ a: ["read", "write"] }], { a: "right" }, "403"],
    [[{ a: ["write"] }, { b: ["read"] }], { a: "right", b: "right" }, "b"],
  ];
  for (const [requirements, seen, expected] of rows) {
    assert.is(outcomeOf(requirements, seen), expected, JSON.stringify([requirements, seen]));
  }
});

test("of several refusals, one that knows the credential is reported, in any order", () => {
  const refusals = {
    unknown: disallowed(),
    expired: new GatewayError(401, "Key has expired, please renew"),
    undecided: new GatewayError(503, "Credentials cannot be checked now"),
  };
  const reported = (...names: readonly (keyof typeof refusals)[]) => {
    const outcomes = new Map(
      names.map((name) => [name, { identity: "custom_auth" as const, authentication: refusals[name] }]),
    );
    const decision = decide(
      names.map((name) => new Map([[name, []]])),
      outcomes,
      undefined,
    );
    return "result" in decision && decision.result;
  };
  assert.is(reported("unknown", "expired"), refusals.expired);
  assert.is(reported("expired", "unknown"), refusals.expired);
  assert.is(reported("unknown", "undecided"), refusals.undecided);
  assert.is(reported("unknown"), refusals.unknown);
});

test("with several identities the base identity names the session, and claims stay available", () => {
  const session = (id: string) => sessionOf({ id });
  const claims = new Map([["sub", "ann"]]);
  const outcomes = new Map<string, AuthenticationOutcome>([
    ["cert", { identity: "custom_auth", authentication: {} }],
    ["key", { identity: "auth_token", authentication: { token: "k", session: session("key") } }],
    ["jwt", { identity: "jwt_claim", authentication: { token: "j", session: session("jwt"), claims } }],
  ]);
  const all = [new Map([...outcomes.keys()].map((name) => [name, []]))];
  const idOf = (base: Identity | undefined) => {
    const decision = decide(all, outcomes, base);
    const caller =
      "result" in decision && !(decision.result instanceof GatewayError) ? decision.result : undefined;
    assert.is(caller?.claims, claims);
    return caller?.session?.id;
  };
  assert.is(idOf(undefined), "key");
  assert.is(idOf("jwt_claim"), "jwt");
  assert.is(idOf("oidc_user"), "key");
});

test("scopes and the end of every credential count at each evaluation, not only at the first one", async () => {
  let scopes = ["read"];
  const judge = () => ({ token: "a", scopes: new Set(scopes) });
  const present = (result: unknown) => {
    if (result === undefined || result instanceof Promise || result instanceof GatewayError)
      throw new Error("no caller");
    return result as Caller;
  };
  const expires = 1_000;
  const requirement = new Map([
    ["a", ["read"]],
    ["b", []],
  ]);
  const outcomes = new Map<string, AuthenticationOutcome>([
    ["a", { identity: "auth_token", authentication: present(renewable(judge)) }],
    ["b", { identity: "custom_auth", authentication: present(renewable(() => ({ expires }))) }],
  ]);
  const decision = decide([requirement], outcomes, undefined);
  let caller = present("result" in decision ? decision.result : undefined);
  for (let round = 0; round < 3; round += 1) {
    assert.is(caller.expires, expires);
    caller = present(await caller.renew?.());
  }
  scopes = [];
  assert.instance(await caller.renew?.(), GatewayError);
});

test.run();
