import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { addressesOf } from "../e2e/gateway.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import type { Program } from "../harness/processes.ts";
import { sluice, startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { folderWith, misspelt, relay } from "./documents.ts";

const temporary = temporaryDirectory("run");
const env = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", TMPDIR: temporary };

/** Whether the gateway serves the route: a route accepts POST only, and an unknown route is not found. */
async function serves(url: string, path: string): Promise<boolean> {
  const { status } = await fetch(`${url}${path}`);
  assert.ok(status === 405 || status === 404, String(status));
  return status === 405;
}

/** Starts a watch at a fixed address, so that a test can send requests to it after it restarts the gateway. */
async function startWatch(cwd: string, document = "api.yaml"): Promise<{ program: Program; url: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const program = startSluice(["run", document, "--watch"], { cwd, env: { ...env, GW_LISTEN: address } });
  return { program, url: `http://${address}` };
}

/** Resolves when the gateway at `url` serves the route. */
function comes(url: string, path: string): Promise<unknown> {
  const what = `${path} at ${url}`;
  return until(() => serves(url, path).catch(() => false), { what });
}

test("run serves without writing files, and exits with 0", async () => {
  const cwd = folderWith({ "api.yaml": relay() });
  const program = startSluice(["run", "api.yaml"], { cwd, env });
  const { url } = await addressesOf(program);
  assert.ok(await serves(url, "/in"));
  assert.not(await serves(url, "/elsewhere"));
  assert.is(await program.stop(), 0);
  assert.equal(readdirSync(cwd), ["api.yaml"]);
  assert.equal(
    readdirSync(temporary).filter((name) => name.startsWith("sluice-")),
    [],
  );
});

test("run prints the diagnostics of a document with errors, serves nothing and exits with 1", async () => {
  const cwd = folderWith({ "api.yaml": misspelt });
  const { status, stdout, stderr } = await sluice(["run", "api.yaml"], { cwd, env });
  assert.equal([status, stdout], [1, ""]);
  assert.match(stderr, /^error GW4010: /);
});

test("--watch serves a changed document, and keeps the previous gateway while the document is broken", async () => {
  const cwd = folderWith({ "api.yaml": relay("/first") });
  const { program, url } = await startWatch(cwd);
  await comes(url, "/first");
  writeFileSync(join(cwd, "api.yaml"), misspelt);
  await program.matching(/error GW4010: /);
  assert.ok(await serves(url, "/first"));
  writeFileSync(join(cwd, "api.yaml"), relay("/second"));
  await comes(url, "/second");
  assert.not(await serves(url, "/first"));
  assert.is(await program.stop(), 0);
});

test("--watch notices a file that is replaced by renaming another", async () => {
  const cwd = folderWith({ "api.yaml": relay("/first") });
  const { program, url } = await startWatch(cwd);
  await comes(url, "/first");
  for (const path of ["/second", "/third"]) {
    writeFileSync(join(cwd, "fresh.yaml"), relay(path));
    renameSync(join(cwd, "fresh.yaml"), join(cwd, "api.yaml"));
    await comes(url, path);
  }
  assert.is(await program.stop(), 0);
});

test("--watch starts with a broken document, and follows the files that it references", async () => {
  const whole = relay("/first");
  const cwd = folderWith({
    "api.yaml": whole.replace("{ path: /first }", "{ $ref: parts/route.yaml }"),
  });
  const { program, url } = await startWatch(cwd);
  await program.matching(/error GW\d{4}: .*parts\/route\.yaml/);
  assert.is(program.process.exitCode, null);
  const parts = folderWith({ "route.yaml": "path: /first\n" });
  renameSync(parts, join(cwd, "parts"));
  await comes(url, "/first");
  writeFileSync(join(cwd, "parts/route.yaml"), "path: /second\n");
  await comes(url, "/second");
  assert.is(await program.stop(), 0);
});

test("--watch of a set notices added and removed documents", async () => {
  const cwd = folderWith({
    "gateway.yaml": 'streaming: { enabled: true }\napis: ["apis/*.yaml"]\n',
    "apis/first.yaml": relay("/first"),
  });
  const { program, url } = await startWatch(cwd, "gateway.yaml");
  await comes(url, "/first");
  writeFileSync(
    join(cwd, "apis/second.yaml"),
    `${relay("/in")}x-gw-api-gateway: { server: { listenPath: { value: /second/ } } }\n`,
  );
  await comes(url, "/second/in");
  rmSync(join(cwd, "apis/second.yaml"));
  await until(async () => !(await serves(url, "/second/in").catch(() => true)));
  assert.is(await program.stop(), 0);
});

test("--watch survives a document that goes and comes back beside a link to itself", async () => {
  const cwd = folderWith({ "api.yaml": relay("/first") });
  symlinkSync("loop.yaml", join(cwd, "loop.yaml"));
  const { program, url } = await startWatch(cwd);
  await comes(url, "/first");
  rmSync(join(cwd, "api.yaml"));
  await program.matching(/error GW1001: /);
  assert.ok(await serves(url, "/first"));
  writeFileSync(join(cwd, "api.yaml"), relay("/second"));
  await comes(url, "/second");
  assert.is(await program.stop(), 0);
});

test("--watch keeps the previous gateway when a changed one cannot start", async () => {
  const cwd = folderWith({ "api.yaml": relay("/first") });
  const { program, url } = await startWatch(cwd);
  await comes(url, "/first");
  writeFileSync(join(cwd, "api.yaml"), relay("/second").replace("/out }", "/out, timeout: '${NOBODY}' }"));
  await program.matching(/sluice: the gateway cannot start: NOBODY \(api\.yaml:10\) is not set\n/);
  await comes(url, "/first");
  writeFileSync(join(cwd, "api.yaml"), relay("/third"));
  await comes(url, "/third");
  assert.is(await program.stop(), 0);
});

test.run();
