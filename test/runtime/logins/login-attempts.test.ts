import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLoginAttempts, type LoginAttempts } from "../../../runtime/logins/login-attempts.ts";

const limits = { period: 60_000, ofAccount: 5, ofAddress: 20 };

/** Returns how many wrong guesses are allowed before one is refused. */
function guessesOf(
  attempts: LoginAttempts,
  accountOf: (turn: number) => string,
  addressOf: (turn: number) => string,
): number {
  for (let turn = 0; turn < 1_000; turn += 1)
    if (typeof attempts.begin(accountOf(turn), addressOf(turn)) === "number") return turn;
  return 1_000;
}

function succeed(attempts: LoginAttempts, account: string, address: string): void {
  const attempt = attempts.begin(account, address);
  if (typeof attempt === "number") throw new Error("a success was refused");
  attempt.right();
}

const always = (text: string) => () => text;

test("failed logins count by account and address, and by address, until the period is over", () => {
  let now = 0;
  const attempts = createLoginAttempts(limits, () => now);
  assert.is(guessesOf(attempts, always("ann"), always("192.0.2.1")), 5);
  assert.is(guessesOf(attempts, String, always("192.0.2.1")), 15);
  assert.is(attempts.begin("ann", "192.0.2.1"), 60);
  now = 59_999;
  assert.is(attempts.begin("ann", "192.0.2.1"), 1);
  now = 60_000;
  assert.is(guessesOf(attempts, always("ann"), always("192.0.2.1")), 5);
});

test("failed logins from other addresses do not lock an account", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  assert.is(
    guessesOf(attempts, always("ann"), (turn) => `198.51.100.${turn}`),
    1_000,
  );
  succeed(attempts, "ann", "192.0.2.1");
  assert.is(guessesOf(attempts, String, always("192.0.2.1")), 20);
  succeed(attempts, "ann", "192.0.2.1");
  assert.type(attempts.begin("bob", "192.0.2.1"), "number");
});

test("IPv6 addresses of the same network share a limit", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  assert.is(
    guessesOf(attempts, String, (turn) => `2001:db8:0:1::${turn.toString(16)}`),
    20,
  );
  assert.type(attempts.begin("a", "2001:DB8::1:ffff:0:0:1"), "number");
  assert.type(attempts.begin("a", "2001:db8:0:2::1"), "object");
});

test("successful and unverified attempts do not count", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  for (let turn = 0; turn < 100; turn += 1) {
    succeed(attempts, "ann", "192.0.2.1");
    const attempt = attempts.begin("bob", "192.0.2.1");
    if (typeof attempt === "number") throw new Error("nothing was verified");
    attempt.unverified();
  }
  assert.is(guessesOf(attempts, always("bob"), always("192.0.2.1")), 5);
});

test("concurrent attempts do not bypass the limit", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  const begun = Array.from({ length: 20 }, () => attempts.begin("ann", "192.0.2.1"));
  assert.is(begun.filter((attempt) => typeof attempt !== "number").length, 5);
});

test("a lock survives any number of other names and addresses", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  assert.is(guessesOf(attempts, always("ann"), always("192.0.2.1")), 5);
  for (let turn = 0; turn < 30_000; turn += 1) attempts.begin(`name ${turn}`, `address ${turn}`);
  assert.type(attempts.begin("ann", "192.0.2.1"), "number");
});

test("logins to another account from any number of networks do not lock an owner behind a full address", () => {
  const attempts = createLoginAttempts(limits, () => 0);
  succeed(attempts, "ann", "192.0.2.1");
  for (let turn = 0; turn < 20_000; turn += 1) succeed(attempts, "mallory", `network ${turn}`);
  assert.is(guessesOf(attempts, String, always("192.0.2.1")), 20);
  succeed(attempts, "ann", "192.0.2.1");
  assert.type(attempts.begin("mallory", "192.0.2.1"), "number");
});

test("known and unknown accounts behave alike, and no other address is blocked", () => {
  const step = fc.record({
    account: fc.constantFrom("ann", "nobody"),
    outcome: fc.constantFrom("wrong", "unverified"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const attempts = createLoginAttempts(limits, () => 0);
      const swapped = createLoginAttempts(limits, () => 0);
      for (const { account, outcome } of steps) {
        const one = attempts.begin(account, "192.0.2.1");
        const other = swapped.begin(account === "ann" ? "nobody" : "ann", "192.0.2.1");
        assert.is(typeof one, typeof other);
        if (outcome === "wrong" || typeof one === "number" || typeof other === "number") continue;
        one.unverified();
        other.unverified();
      }
      assert.type(attempts.begin("ann", "192.0.2.2"), "object");
    }),
    { seed: 14 },
  );
});

test.run();
