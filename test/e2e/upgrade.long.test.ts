// Two releases of this program: gateways, deployments and a management service are upgraded and downgraded.

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf } from "../harness/api-documents.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Program, type ProgramOptions, run, start } from "../harness/processes.ts";
import { addressesOf } from "./gateway.ts";

/** An installation, whose runtime has its own digest like every release. */
interface Release {
  readonly digest: string;
  call(args: readonly string[], options: ProgramOptions): Promise<void>;
  start(args: readonly string[], options: ProgramOptions): Program;
}

async function release(name: string, digest: string): Promise<Release> {
  const root = temporaryDirectory(name);
  for (const part of ["bin", "package.json"])
    cpSync(join(projectRoot, part), join(root, part), { recursive: true });
  symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, "compiler/diagnostics"), { recursive: true });
  // Hard links, because there are many files; the file that differs is replaced.
  const copied = await run("cp", ["-al", join(projectRoot, "dist"), join(root, "dist")]);
  assert.is(copied.status, 0, copied.stderr);
  const file = join(root, "dist/runtime-digest.json");
  rmSync(file);
  writeFileSync(file, JSON.stringify({ digest }));
  const command = join(root, "bin/sluice.js");
  return {
    digest,
    async call(args, options) {
      const { status, stderr } = await run(process.execPath, [command, ...args], options);
      assert.is(status, 0, stderr);
    },
    start: (args, options) => start(process.execPath, [command, ...args], options),
  };
}

const [older, newer] = await Promise.all([
  release("older", `sha256-${"0".repeat(64)}`),
  release("newer", `sha256-${"1".repeat(64)}`),
]);
const ports = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

const served = (number: number) => new RegExp(`"deployment":${number},.*"msg":"deployment served"`);
const refused = (number: number, { digest: of }: Release, { digest: here }: Release) =>
  new RegExp(
    `deployment ${number} was compiled against the runtime ${of}, and this gateway has ${here}: both must be of one release`,
  );

async function answers(gateway: Program, text: string): Promise<void> {
  const { url } = await addressesOf(gateway);
  assert.is(await answerOf(url, "orders"), text);
}

for (const [from, to, way] of [
  [older, newer, "forth"],
  [newer, older, "back"],
] as const) {
  test(`gateways and a folder of deployments go ${way} by one release without interruption`, async () => {
    const cwd = temporaryDirectory("set");
    const write = (text: string) =>
      writeFileSync(join(cwd, "orders.yaml"), apiOf(answering(text), { id: "orders" }));
    const build = (by: Release) => by.call(["build", "gateway.yaml", "--artifact", "deployed"], { cwd });
    const env = { ...ports, GW_CACHE_DIR: join(cwd, "cache") };
    writeFileSync(join(cwd, "gateway.yaml"), "streaming: { enabled: true }\napis: [orders.yaml]\n");
    write("before");
    await build(from);
    const follow = (by: Release) => by.start(["gateway", "--from", "deployed"], { cwd, env });
    const first = follow(from);
    await first.matching(served(1));

    // The deployment first: gateways of the previous release refuse it, and continue to serve.
    write("after");
    await build(to);
    await first.matching(refused(2, to, from));
    await answers(first, "before");
    // After a restart, such a gateway serves its copy of the earlier deployment.
    assert.is(await first.stop(), 0);
    const again = follow(from);
    await again.matching(served(1));
    await again.matching(refused(2, to, from));
    await answers(again, "before");

    // Then the gateways, one after the other.
    const next = follow(to);
    await next.matching(served(2));
    await answers(next, "after");
    assert.equal([await again.stop(), await next.stop()], [0, 0]);
  });
}

test("a management service and its gateways upgrade and downgrade by one release, with their records", async () => {
  const cwd = temporaryDirectory("management");
  const key = "the-key-of-the-operators";
  const env = {
    GW_MANAGEMENT_API_KEYS: key,
    GW_MANAGEMENT_TOKEN: key,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
    GW_STORE_URL: `sqlite:${join(cwd, "management.db")}`,
  };
  mkdirSync(join(cwd, "apis"));
  writeFileSync(join(cwd, "apis/orders.yaml"), apiOf(answering("kept"), { id: "orders" }));
  const serve = async (by: Release) => {
    const service = by.start(["serve"], { cwd, env });
    const [, address = ""] = await service.matching(/"management":"(http[^"]+)"/);
    return { service, address };
  };
  const follow = (by: Release, address: string) => {
    const cache = { GW_CACHE_DIR: temporaryDirectory("cache") };
    return by.start(["gateway", "--from", address], { cwd, env: { ...env, ...ports, ...cache } });
  };

  let { service, address } = await serve(older);
  await older.call(["apply", "-f", "apis", "--server", address], { cwd, env });
  let gateway = follow(older, address);
  await gateway.matching(/"msg":"deployment served"/);
  for (const by of [newer, older]) {
    // The service first: it compiles its definitions for its own release automatically.
    assert.is(await service.stop(), 0);
    ({ service, address } = await serve(by));
    await answers(gateway, "kept");
    await by.call(["plan", "-f", "apis", "--prune", "--server", address], { cwd, env });
    const next = follow(by, address);
    await next.matching(/"msg":"deployment served"/);
    await answers(next, "kept");
    assert.is(await gateway.stop(), 0);
    gateway = next;
  }
  assert.equal([await gateway.stop(), await service.stop()], [0, 0]);
});

test("a deployment in the format of this release is read back unchanged", async () => {
  const frozen = readFileSync(join(projectRoot, "test/e2e/deployment.format-1.json"));
  const { printManifest, readManifest } = await import("../../runtime/gateway/artifact/manifest.ts");
  assert.is(Buffer.from(printManifest(readManifest(frozen))).toString(), frozen.toString());
});

test.run();
