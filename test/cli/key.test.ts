import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { passwordTest } from "../../runtime/keys/passwords.ts";
import { sluice } from "../harness/sluice.ts";

test("key hash prints the SHA-256 of a key from standard input", async () => {
  const foo = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\n";
  for (const input of ["foo", "foo\n", "foo\r\n"]) {
    assert.equal(await sluice(["key", "hash"], { input }), { status: 0, stdout: foo, stderr: "" });
  }
});

test("invalid keys are rejected without being repeated", async () => {
  const rows = [
    ["", "the key is empty"],
    ["\n", "the key is empty"],
    ["one\ntwo", "a key must be a single line"],
    [" foo", "a key must not start or end with a space"],
  ];
  for (const [input = "", line] of rows) {
    assert.equal(await sluice(["key", "hash"], { input }), {
      status: 1,
      stdout: "",
      stderr: `sluice: ${line}\n`,
    });
  }
});

test("new keys are long, unique, and printed with their hash", async () => {
  const keys = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const { status, stdout } = await sluice(["key", "hash", "--new"]);
    const [, key = "", hash] = /^key: ([\w-]{43})\nhash: ([0-9a-f]{64})\n$/.exec(stdout) ?? [];
    assert.equal([status, hash], [0, hashKey(key)]);
    keys.add(key);
  }
  assert.is(keys.size, 2);
});

test("a password hash verifies its password and no other", async () => {
  const { status, stdout } = await sluice(["key", "hash", "--password"], { input: " blue red\n" });
  assert.is(status, 0);
  const { verify } = passwordTest(stdout.trim());
  assert.equal([await verify(" blue red"), await verify("blue red")], [true, false]);
});

test.run();
