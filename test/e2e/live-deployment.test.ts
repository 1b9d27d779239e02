import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf, telling } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import type { Program } from "../harness/processes.ts";
import { sluice, startSluice } from "../harness/sluice.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";

const listening = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** A gateway in one process, and one in several. */
const sizes = [
  { size: "one process", env: listening },
  { size: "three workers", env: { ...listening, GW_WORKERS: "3" } },
];

const api = (id: string, answer: string) => apiOf(answering(answer), { id });

/** A folder with a set of documents, and what builds it. */
function set() {
  const cwd = temporaryDirectory("set");
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const build = (env: Readonly<Record<string, string>> = {}) =>
    sluice(["build", "gateway.yaml", "--artifact", "deployed"], { cwd, env });
  const deploy = async (env: Readonly<Record<string, string>> = {}) => {
    const built = await build(env);
    assert.is(built.status, 0, built.stderr);
  };
  write("gateway.yaml", "streaming: { enabled: true }\napis: [orders.yaml, chat.yaml]\n");
  write("orders.yaml", api("orders", "one"));
  write("chat.yaml", api("chat", "hello"));
  const manifest = () => readFileSync(join(cwd, "deployed/manifest.json"), "utf8");
  return { cwd, write, build, deploy, manifest, folder: join(cwd, "deployed") };
}

async function stop(program: Program): Promise<void> {
  assert.is(await program.stop(), 0, program.output());
}

for (const { size, env } of sizes) {
  test(`${size}: a gateway that follows a folder serves each new version of it`, async () => {
    const { cwd, write, deploy } = set();
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(/"deployment":1,.*"applied":2,"unchanged":0,.*"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    assert.is(await answerOf(url, "orders"), "one");
    assert.is(await answerOf(url, "chat"), "hello");
    write("orders.yaml", api("orders", "two"));
    await deploy();
    await program.matching(/"deployment":2,.*"applied":1,"unchanged":1,.*"msg":"deployment served"/);
    const { url: now } = await lastAddress(program);
    assert.is(await answerOf(now, "orders"), "two");
    assert.is(await answerOf(now, "chat"), "hello");
    await stop(program);
  });
}

for (const { size, env } of sizes) {
  test(`${size}: clients of a stream that did not change, and requests under way, notice nothing of a deployment`, async () => {
    const { cwd, write, deploy } = set();
    const chat = (answer: string) => apiOf(answering(answer) + telling, { id: "chat" });
    write("chat.yaml", chat("hello"));
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(/"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    const client = await sse(`${url}/chat/events`);
    const answers: string[] = [];
    let asking = true;
    const asked = (async () => {
      while (asking) answers.push(await answerOf(url, "orders"));
    })();
    for (const answer of ["two", "three", "four"]) {
      write("orders.yaml", api("orders", answer));
      write("chat.yaml", chat(answer));
      await deploy();
      await until(() => answers.at(-1) === answer);
      assert.is(await answerOf(url, "chat"), answer);
    }
    asking = false;
    await asked;
    assert.equal(
      [...new Set(answers)],
      ["one", "two", "three", "four"],
      "each was answered, by one version or the next",
    );
    const told = fetch(`${url}/chat/tell`, { method: "POST", body: "still there" });
    assert.is((await client.next()).data, "still there");
    assert.is((await told).status, 200);
    client.close();
    await stop(program);
  });
}

for (const { size, env } of sizes) {
  test(`${size}: an API that lacks a variable costs nothing else, at the start and later`, async () => {
    const { cwd, write, deploy } = set();
    const lacking = api("orders", "one").replace("path: /say", 'path: "${NOT_THERE}"');
    write("orders.yaml", lacking);
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(/"api":"orders","reason":"[^"]*NOT_THERE is not set.*"msg":"api rolled back"/);
    await program.matching(/"applied":1,.*"rolledBack":1,.*"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    assert.is(await answerOf(url, "chat"), "hello");
    assert.is(await answerOf(url, "orders"), "404");
    write("orders.yaml", api("orders", "two"));
    await deploy();
    await until(async () => (await answerOf(url, "orders")) === "two");
    write("orders.yaml", lacking);
    await deploy();
    await program.matching(/"deployment":3,.*"rolledBack":1,.*"msg":"deployment served"/);
    assert.is(await answerOf(url, "orders"), "two");
    await stop(program);
  });
}

test("three workers: one that is killed comes back with what is deployed by then", async () => {
  const { cwd, write, deploy } = set();
  await deploy();
  const env = { ...listening, GW_WORKERS: "3" };
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
  await program.matching(/"msg":"deployment served"/);
  const { url } = await lastAddress(program);
  const started = () =>
    [...program.output().matchAll(/"worker":(\d+),"process":(\d+),"msg":"worker started"/g)].map(
      ([, worker, id]) => ({ worker, id: Number(id) }),
    );
  for (const [index, answer] of ["two", "three", "four"].entries()) {
    write("orders.yaml", api("orders", answer));
    const victim = started().findLast(({ worker }) => worker === String(index));
    const deployed = deploy();
    process.kill(victim?.id ?? 0, "SIGKILL");
    await deployed;
    await program.matching(new RegExp(`"deployment":${index + 2},.*"msg":"deployment served"`));
    await until(() => started().length === 4 + index);
    await until(async () => {
      const asked = Array.from({ length: 6 }, () => answerOf(url, "orders", { connection: "close" }));
      return (await Promise.all(asked)).every((each) => each === answer);
    });
  }
  await stop(program);
});

test("three workers: what one of them cannot bring in, all take back", async () => {
  const { cwd, write, deploy } = set();
  await deploy();
  const env = { ...listening, GW_WORKERS: "3" };
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
  await program.matching(/"msg":"deployment served"/);
  const { url } = await lastAddress(program);
  // The first worker alone runs this stream, which cannot reach its broker.
  const background = `feed:
  input: { generate: { interval: 1s, mapping: 'root = "x"' } }
  output: { nats: { urls: ["nats://127.0.0.1:1"], subject: a } }
`;
  write("orders.yaml", apiOf(answering("two") + background, { id: "orders" }));
  write("chat.yaml", api("chat", "changed"));
  await deploy();
  await program.matching(/"deployment":2,.*"applied":1,.*"rolledBack":1,.*"msg":"deployment served"/);
  for (let index = 0; index < 6; index += 1) {
    assert.is(await answerOf(url, "orders", { connection: "close" }), "one");
    assert.is(await answerOf(url, "chat", { connection: "close" }), "changed");
  }
  write("orders.yaml", api("orders", "three"));
  await deploy();
  await program.matching(/"deployment":3,.*"rolledBack":0,.*"msg":"deployment served"/);
  for (let index = 0; index < 6; index += 1)
    assert.is(await answerOf(url, "orders", { connection: "close" }), "three");
  await stop(program);
});

test("what does not compile replaces nothing, and the same documents are the same deployment", async () => {
  const { write, build, deploy, manifest, folder } = set();
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

test("a gateway with a key serves what was signed, and refuses what was changed after", async () => {
  const keys = generateKeyPairSync("ed25519");
  const signing = { GW_SIGNING_KEY: String(keys.privateKey.export({ format: "pem", type: "pkcs8" })) };
  const verifying = { GW_VERIFY_KEY: String(keys.publicKey.export({ format: "pem", type: "spki" })) };
  const { cwd, write, deploy, manifest, folder } = set();
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

test("a module that is not what its name says never runs, and what is served stays", async () => {
  const { cwd, write, deploy, folder } = set();
  await deploy();
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env: listening });
  await program.matching(/"msg":"deployment served"/);
  write("orders.yaml", api("orders", "two"));
  assert.is((await sluice(["build", "gateway.yaml", "--artifact", "next"], { cwd })).status, 0);
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

test("a gateway that follows a service starts from its copy while that is away, and reports when it is back", async () => {
  const { cwd, deploy, folder } = set();
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

test("what cannot be followed ends with a line that says why", async () => {
  const { cwd, deploy } = set();
  await deploy();
  const run = (from: string, env: Readonly<Record<string, string>> = {}) =>
    sluice(["gateway", "--from", from], { cwd, env: { ...listening, ...env } });
  for (const [outcome, message] of [
    [await run("nowhere"), /nowhere is no folder/],
    [await run("deployed", { GW_WORKERS: "300" }), /GW_WORKERS is not between 1 and 256/],
    [await run("deployed", { GW_WORKERS: "2", GW_LISTEN: "nonsense" }), /GW_LISTEN is not an address/],
    [await run("deployed", { GW_LISTEN: "nonsense" }), /GW_LISTEN is not an address/],
  ] as const) {
    assert.is(outcome.status, 1);
    assert.match(outcome.stdout, /"msg":"cannot start"/);
    assert.match(outcome.stdout, message);
  }
  assert.is((await sluice(["gateway"], { cwd })).status, 2);
});

test("`--artifact` stands alone, and says where it cannot write", async () => {
  const { cwd } = set();
  const both = await sluice(["build", "gateway.yaml", "--artifact", "a", "-o", "b"], { cwd });
  assert.is(both.status, 2);
  writeFileSync(join(cwd, "file"), "");
  const blocked = await sluice(["build", "gateway.yaml", "--artifact", "file/deployed"], { cwd });
  assert.is(blocked.status, 1);
  assert.match(blocked.stderr, "cannot write to `file/deployed`");
  rmSync(join(cwd, "file"));
});

/** Where the gateway listens, by the last of its lines. */
async function lastAddress(program: Program): Promise<{ url: string }> {
  const line = program
    .output()
    .split("\n")
    .findLast((each) => each.includes('"msg":"listening"'));
  return { url: JSON.parse(line ?? "{}").gateway };
}

test.run();
