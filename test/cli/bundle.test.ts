import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startBundle } from "../e2e/gateway.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { type Outcome, run } from "../harness/processes.ts";
import { sluice, warmSluice } from "../harness/sluice.ts";
import { folderWith, needy, relay } from "./documents.ts";

const occupied = ["--import", pathToFileURL(join(import.meta.dirname, "occupied-ports.ts")).href];
const unset = { GW_LISTEN: undefined, GW_ADMIN_LISTEN: undefined, GW_STREAMING_ENABLED: undefined };

/** Builds in a folder without any `node_modules` in reach. */
async function shipped(files: Readonly<Record<string, string>>, document: string): Promise<string> {
  const cwd = folderWith(files);
  const built = await warmSluice(["build", document, "-o", "out"], { cwd });
  assert.equal(built, { status: 0, stdout: "", stderr: "" });
  const folder = temporaryDirectory("shipped");
  cpSync(join(cwd, "out"), folder, { recursive: true });
  return folder;
}

function node(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Outcome> {
  return run(process.execPath, args, { cwd: folder, env: { ...unset, ...env } });
}

const logLines = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const folder = await shipped({ "api.yaml": relay() }, "api.yaml");

test("a bundle serves from its own folder, logs its addresses, and exits with 0 on SIGTERM", async () => {
  const { url, adminUrl, program } = await startBundle(folder);
  assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.match(adminUrl, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.is.not(url, adminUrl);
  assert.is((await fetch(`${adminUrl}/healthz`)).status, 200);
  assert.is((await fetch(`${url}/in`)).status, 405, "the route takes only POST");
  assert.is((await fetch(`${url}/elsewhere`)).status, 404);
  assert.is(await program.stop("SIGTERM"), 0);
  for (const line of logLines(program.output())) assert.ok(line.level && line.time && line.msg);
});

test("a bundle exits with 0 on SIGINT too", async () => {
  const { program } = await startBundle(folder);
  assert.is(await program.stop("SIGINT"), 0);
});

test("a bundle listens on all interfaces, `run` on the loopback address, at port 8080", async () => {
  const bundle = await node(folder, [...occupied, "gateway.mjs"]);
  assert.is(bundle.status, 1);
  assert.equal(logLines(bundle.stdout).at(-1)?.problems, [
    "0.0.0.0:8080 is in use; set GW_LISTEN to another address",
  ]);
  const served = await sluice(["run", "api.yaml"], {
    cwd: folderWith({ "api.yaml": relay() }),
    env: { ...unset, NODE_OPTIONS: occupied.join("=") },
  });
  assert.equal([served.status, served.stdout], [1, ""]);
  assert.is(
    served.stderr,
    "sluice: the gateway cannot start: 127.0.0.1:8080 is in use; set GW_LISTEN to another address\n",
  );
});

test("the address of gateway.yaml is used, and GW_LISTEN overrides it", async () => {
  const files = {
    "api.yaml": relay(),
    "gateway.yaml": "streaming: { enabled: true }\napis: [api.yaml]\nlisten: 127.0.0.1:${PORT:7001}\n",
  };
  const set = await shipped(files, "gateway.yaml");
  const wanted = async (env: Readonly<Record<string, string>>) =>
    logLines((await node(set, [...occupied, "gateway.mjs"], env)).stdout).at(-1)?.problems;
  assert.equal(await wanted({}), ["127.0.0.1:7001 is in use; set GW_LISTEN to another address"]);
  assert.equal(await wanted({ PORT: "7002" }), [
    "127.0.0.1:7002 is in use; set GW_LISTEN to another address",
  ]);
  assert.equal(await wanted({ GW_LISTEN: "127.0.0.2:7003" }), [
    "127.0.0.2:7003 is in use; set GW_LISTEN to another address",
  ]);
});

test("a gateway without streaming enabled serves no streams, and GW_STREAMING_ENABLED overrides it", async () => {
  const files = { "api.yaml": relay(), "gateway.yaml": "apis: [api.yaml]\nstreaming: { enabled: false }\n" };
  const set = await shipped(files, "gateway.yaml");
  const off = await startBundle(set);
  assert.is((await fetch(`${off.url}/in`)).status, 404);
  assert.is(await off.program.stop(), 0);
  const on = await startBundle(set, { GW_STREAMING_ENABLED: "true" });
  assert.is((await fetch(`${on.url}/in`)).status, 405);
  assert.is(await on.program.stop(), 0);
});

test("importing a bundle opens nothing and starts nothing", async () => {
  const text = `import * as bundle from "./gateway.mjs";
    const opened = process.getActiveResourcesInfo().filter((each) => !/Pipe|TTY/.test(each));
    console.log(JSON.stringify([Object.keys(bundle).sort(), Object.keys(bundle.default), opened]));`;
  const imported = await node(folder, ["--input-type=module", "--eval", text]);
  assert.equal([imported.status, imported.stderr], [0, ""]);
  assert.equal(JSON.parse(imported.stdout), [["default", "serveGateway"], ["streaming", "apis"], []]);
});

test("all missing variables are reported at once", async () => {
  const lacking = await shipped({ "api.yaml": needy }, "api.yaml");
  const problems = ["RELAY_TIMEOUT (api.yaml:10) is not set", "RELAY_HEARTBEAT (api.yaml:10) is not set"];
  const bundle = await node(lacking, ["gateway.mjs"]);
  assert.is(bundle.status, 1);
  const [line, ...others] = logLines(bundle.stdout);
  assert.equal([line?.level, line?.msg, line?.problems, others], ["error", "cannot start", problems, []]);
  const cwd = folderWith({ "api.yaml": needy });
  const served = await sluice(["run", "api.yaml"], { cwd, env: unset });
  const stderr = `sluice: the gateway cannot start: ${problems.join("; ")}\n`;
  assert.equal(served, { status: 1, stdout: "", stderr });
});

test.run();
