import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answerOf } from "../harness/api-documents.ts";
import { httpServer } from "../harness/http-server.ts";
import { sluice, startSluice, warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { api, deployedSet, followsDeployments, lastAddress, listening, stop } from "./live-deployments.ts";

followsDeployments("one process", listening);

test("a failed build replaces nothing, and the same documents build to the same deployment", async () => {
  const { write, build, deploy, manifest, folder } = deployedSet();
  await deploy();
  const before = [manifest(), readdirSync(join(folder, "blobs")).sort()];
  await deploy();
  assert.equal([manifest(), readdirSync(join(folder, "blobs")).sort()], before);
  write("orders.yaml", api("orders", "one").replace("http_server", "htp_server"));
  const failed = await build();
  assert.is(failed.status, 1);
  assert.match(failed.stderr, "GW4001");
  assert.is(manifest(), before[0]);
});

test("a gateway with a verification key serves signed deployments, and rejects tampered ones", async () => {
  const keys = generateKeyPairSync("ed25519");
  const signing = { GW_SIGNING_KEY: String(keys.privateKey.export({ format: "pem", type: "pkcs8" })) };
  const verifying = { GW_VERIFY_KEY: String(keys.publicKey.export({ format: "pem", type: "spki" })) };
  const { cwd, write, deploy, manifest, folder } = deployedSet();
  await deploy(signing);
  const program = startSluice(["gateway", "--from", "deployed"], {
    cwd,
    env: { ...listening, ...verifying },
  });
  await program.matching(/"msg":"deployment served"/);
  writeFileSync(join(folder, "manifest.json"), manifest().replace('"number": 1', '"number": 2'));
  await program.matching(/"problem":"the manifest is not signed by the holder of GW_VERIFY_KEY"/);
  const { url } = await lastAddress(program);
  assert.is(await answerOf(url, "orders"), "one");
  write("orders.yaml", api("orders", "two"));
  await deploy(signing);
  await program.matching(/"deployment":3,.*"msg":"deployment served"/);
  await stop(program);
});

test("a module that does not match its digest never runs, and the deployment being served stays", async () => {
  const { cwd, write, deploy, folder } = deployedSet();
  await deploy();
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env: listening });
  await program.matching(/"msg":"deployment served"/);
  write("orders.yaml", api("orders", "two"));
  assert.is((await warmSluice(["build", "gateway.yaml", "--artifact", "next"], { cwd })).status, 0);
  for (const name of readdirSync(join(cwd, "next/blobs"))) {
    const code = readFileSync(join(cwd, "next/blobs", name), "utf8");
    writeFileSync(join(folder, "blobs", name), code.replace('"two"', '"changed"'));
  }
  const manifest = readFileSync(join(cwd, "next/manifest.json"), "utf8");
  writeFileSync(join(folder, "manifest.json"), manifest.replace('"number": 1', '"number": 2'));
  await program.matching(
    /"problem":"the module [0-9a-f]{12} cannot be had: [^"]*has other bytes under its name"/,
  );
  const { url } = await lastAddress(program);
  assert.is(await answerOf(url, "orders"), "one");
  for (const name of readdirSync(join(cwd, "next/blobs")))
    writeFileSync(join(folder, "blobs", name), readFileSync(join(cwd, "next/blobs", name)));
  await program.matching(/"deployment":2,.*"msg":"deployment served"/);
  await stop(program);
});

test("a gateway starts from its cached copy while the service is unavailable, and reports its return", async () => {
  const { cwd, deploy, folder } = deployedSet();
  await deploy();
  const serveFolder = () =>
    httpServer(({ method, path }) => {
      if (method === "POST") return { status: 204 };
      const file = path.startsWith("/api/deployments/current") ? "manifest.json" : `blobs/${path.slice(15)}`;
      return { body: readFileSync(join(folder, file), "utf8") };
    });
  const service = await serveFolder();
  const env = {
    ...listening,
    GW_CACHE_DIR: join(cwd, "copy"),
    GW_MANAGEMENT_TOKEN: "secret",
    GW_GATEWAY_ID: "one",
  };
  const args = ["gateway", "--from", service.url];
  const first = startSluice(args, { cwd, env });
  await first.matching(/"msg":"deployment served"/);
  const reported = await until(() =>
    service.requests.find(({ body, method }) => method === "POST" && body.includes('"deployment":1')),
  );
  assert.is(reported.path, "/api/gateways/one/report");
  assert.ok(service.requests.every(({ headers }) => headers.authorization === "secret"));
  assert.is(JSON.parse(reported.body).streams.length, 2);
  await stop(first);
  await service.close();
  const second = startSluice(args, { cwd, env });
  await second.matching(/"msg":"deployments cannot be read"/);
  await second.matching(/"from":"[^"]*copy".*"msg":"deployment served"/);
  assert.is(await answerOf((await lastAddress(second)).url, "orders"), "one");
  await stop(second);
});

test("an invalid source of deployments ends the gateway with a line that says why", async () => {
  const { cwd, deploy } = deployedSet();
  await deploy();
  const run = (from: string, env: Readonly<Record<string, string>> = {}) =>
    sluice(["gateway", "--from", from], { cwd, env: { ...listening, ...env } });
  for (const [outcome, message] of [
    [await run("nowhere"), /nowhere is neither a folder/],
    [await run("deployed", { GW_WORKERS: "300" }), /GW_WORKERS is not between 1 and 256/],
    [await run("deployed", { GW_WORKERS: "2", GW_LISTEN: "nonsense" }), /GW_LISTEN is not an address/],
    [await run("deployed", { GW_LISTEN: "nonsense" }), /GW_LISTEN is not an address/],
  ] as const) {
    assert.is(outcome.status, 1);
    assert.match(outcome.stdout, /"msg":"cannot start"/);
    assert.match(outcome.stdout, message);
  }
  assert.is((await sluice(["gateway"], { cwd })).status, 64);
});

test("`--artifact` excludes `-o`, and reports where it cannot write", async () => {
  const { cwd } = deployedSet();
  const both = await warmSluice(["build", "gateway.yaml", "--artifact", "a", "-o", "b"], { cwd });
  assert.is(both.status, 64);
  writeFileSync(join(cwd, "file"), "");
  const blocked = await warmSluice(["build", "gateway.yaml", "--artifact", "file/deployed"], { cwd });
  assert.is(blocked.status, 1);
  assert.match(blocked.stderr, "cannot write to `file/deployed`");
  rmSync(join(cwd, "file"));
});

test("a deployment has the number given by `--number`, which must increase", async () => {
  const { cwd } = deployedSet();
  const build = (number: string) =>
    warmSluice(["build", "gateway.yaml", "--artifact", "numbered", "--number", number], { cwd });
  assert.is((await build("128")).status, 0);
  const { number } = JSON.parse(readFileSync(join(cwd, "numbered/manifest.json"), "utf8"));
  assert.is(number, 128);
  assert.is((await build("128")).status, 0, "the same documents are the same deployment");
  const lower = await build("127");
  assert.is(lower.status, 1);
  const reason = "numbered holds deployment 128: what is new needs a higher number";
  assert.is(lower.stderr, `sluice: the deployment cannot be written: ${reason}\n`);
  assert.is((await build("0")).status, 64);
  assert.is((await warmSluice(["build", "gateway.yaml", "-o", "out", "--number", "1"], { cwd })).status, 64);
});

test.run();
