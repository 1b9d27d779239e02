import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { sluice, startSluice } from "../harness/sluice.ts";

const environment = { GW_MANAGEMENT_LISTEN: "127.0.0.1:0", GW_STORE_URL: undefined, GW_LOG_LEVEL: undefined };

function folderWith(text: string): string {
  const folder = temporaryDirectory("serve");
  writeFileSync(join(folder, "management.yaml"), text);
  return folder;
}

test("`sluice serve` does not start without a key", async () => {
  for (const keys of [undefined, "", " , "]) {
    const env = { ...environment, GW_MANAGEMENT_API_KEYS: keys };
    const { status, stdout } = await sluice(["serve"], { cwd: temporaryDirectory("serve"), env });
    assert.is(status, 1);
    assert.match(stdout, /GW_MANAGEMENT_API_KEYS (?:is not set|names no token)/);
  }
});

test("`sluice serve` does not start with a key that no request can carry", async () => {
  for (const key of ["käse", "other:käse", "a key with blanks in it"]) {
    const env = { ...environment, GW_MANAGEMENT_API_KEYS: `secret-of-this-test,${key}` };
    const { status, stdout } = await sluice(["serve"], { cwd: temporaryDirectory("serve"), env });
    assert.is(status, 1, key);
    assert.match(stdout, "has a token with other characters than ASCII without blanks");
    assert.not.match(stdout, key);
  }
});

test("`sluice serve` reports errors in management.yaml at their location", async () => {
  const cwd = folderWith("streaming:\n  enabeld: true\nlisten: nowhere\n");
  const { status, stderr } = await sluice(["serve", "management.yaml"], { cwd });
  assert.is(status, 1);
  assert.match(stderr, "management.yaml:2:3");
  assert.match(stderr, "Did you mean `enabled`?");
  assert.match(stderr, "management.yaml:3:9");
});

test("`sluice serve` applies management.yaml, and exits on a signal", async () => {
  const cwd = folderWith("store: sqlite:./own.db\norganisation: acme\n");
  const env = { ...environment, GW_MANAGEMENT_API_KEYS: "secret-of-this-test" };
  const served = startSluice(["serve", "management.yaml"], { cwd, env });
  const [, address] = await served.matching(/"management":"([^"]+)"/);
  const headers = { authorization: "secret-of-this-test" };
  const users = await fetch(`${address}/api/users`, { headers });
  assert.equal([users.status, await users.json()], [200, { Data: [], Pages: 0 }]);
  // Only streaming is switched off.
  for (const path of ["/api/apis/streams", "/api/streams", "/api/schemas/apidefs/streams-oas"]) {
    assert.is((await fetch(`${address}${path}`, { headers })).status, 404, path);
  }
  assert.is(await served.stop(), 0);
  assert.not.ok(served.output().includes("secret-of-this-test"));
  assert.match(served.output(), "streaming is switched off");
});

test("`sluice serve` does not start with invalid gateway settings", async () => {
  const cwd = folderWith("gateway: gateway.yaml\n");
  const env = { ...environment, GW_MANAGEMENT_API_KEYS: "secret-of-this-test" };
  const missing = await sluice(["serve", "management.yaml"], { cwd, env });
  assert.equal([missing.status, missing.stdout.includes("gateway.yaml cannot be read (ENOENT)")], [1, true]);
  writeFileSync(join(cwd, "gateway.yaml"), "streaming: { enabled: true }\nlisten: nowhere\n");
  const wrong = await sluice(["serve", "management.yaml"], { cwd, env });
  assert.is(wrong.status, 1);
  assert.match(wrong.stdout, "gateway.yaml:2:9 GW4015");
});

test.run();
