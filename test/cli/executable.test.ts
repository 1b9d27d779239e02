import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";

const document = `input: { http_server: { path: /in } }
pipeline: { processors: [{ mapping: 'root.upper = this.a.uppercase()' }] }
output: { sync_response: {} }
`;

test("an executable serves without an installed Node", async () => {
  const cwd = folderWith({ "stream.yaml": document });
  const built = await warmSluice(["build", "stream.yaml", "-o", "out", "--executable"], { cwd });
  assert.equal(built, { status: 0, stdout: "", stderr: "" });
  const file = join(cwd, "out/gateway");
  assert.is(statSync(file).mode & 0o777, 0o755);
  const env = {
    GW_LISTEN: "127.0.0.1:0",
    GW_ADMIN_LISTEN: "127.0.0.1:0",
    PATH: "/nowhere",
    NODE_OPTIONS: undefined,
  };
  const gateway = start(file, [], { cwd, env });
  const [, address] = await gateway.matching(/"gateway":"(http:[^"]+)"/);
  const answer = await fetch(`${address}/in`, { method: "POST", body: '{"a":"x"}' });
  assert.equal([answer.status, await answer.text()], [200, '{"upper":"X"}']);
  assert.is(await gateway.stop(), 0);
  assert.match(readFileSync(file).includes("This file contains:") ? "notices" : "", "notices");
});

test("a file that is not a Node binary is rejected", async () => {
  const cwd = folderWith({ "stream.yaml": document });
  writeFileSync(join(cwd, "other"), "#!/bin/sh\n");
  const built = await warmSluice(["build", "stream.yaml", "-o", "out", "--executable", "--node", "other"], {
    cwd,
  });
  assert.is(built.status, 1);
  assert.match(built.stderr, "other is not a Node that can embed a program, such as Node 24");
});

test.run();
