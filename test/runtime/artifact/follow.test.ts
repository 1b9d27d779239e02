import { generateKeyPairSync } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { follow } from "../../../runtime/gateway/artifact/serve-source.ts";
import { managementSource, readFollowSettings } from "../../../runtime/gateway/artifact/settings.ts";
import type { ArtifactSource } from "../../../runtime/gateway/artifact/source.ts";
import { createEnvironment } from "../../../runtime/process/environment.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpServer, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { apiModule, keys, type Packed, pack, recordingDeployer } from "./deployments.ts";

const test = suite("following deployments");
const backoff = { first: 5, longest: 20 };
const version = (number: number, more: object = {}) =>
  pack({ number, apis: { orders: apiModule("orders", number) }, ...more });

/** Starts a management service whose responses a test can change. */
async function management() {
  const blobs = new Map<string, Uint8Array>();
  let answer: () => Reply = () => ({ status: 404 });
  let tag: string | undefined;
  const server = await httpServer(({ path, headers }) => {
    const bytes = blobs.get(path.replace("/api/artifacts/", ""));
    if (bytes !== undefined) return { body: new TextDecoder().decode(bytes) };
    if (path.startsWith("/api/artifacts/")) return { status: 404 };
    return tag !== undefined && headers["if-none-match"] === tag ? { status: 304 } : answer();
  });
  return {
    server,
    blobs,
    source: managementSource({ url: new URL(server.url), token: undefined, id: "a" }),
    answers(next: () => Reply) {
      tag = undefined;
      answer = next;
    },
    deploys({ bytes, digest, signature = "", blobs: modules }: Packed) {
      for (const [name, module] of modules) blobs.set(name, module);
      tag = `"${digest}"`;
      const headers = { etag: tag, "x-gw-signature": signature };
      answer = () => ({ headers, body: new TextDecoder().decode(bytes) });
    },
  };
}

/** Starts a gateway that follows a source until the test stops it. */
function following(source: ArtifactSource, options: Parameters<typeof recordingDeployer>[0] = {}) {
  const made = recordingDeployer(options);
  const ending = new AbortController();
  const { cacheFolder } = options;
  const done = follow({ deployer: made.deployer, source, cacheFolder, signal: ending.signal, backoff });
  const stop = async () => {
    ending.abort();
    await done;
  };
  return { ...made, stop, done };
}

test("deployments are applied one after the other", async () => {
  const { server, source, deploys } = await management();
  deploys(version(1));
  const { gateway, stop } = following(source);
  await until(() => gateway.applied.length === 1);
  deploys(version(2));
  await until(() => gateway.applied.length === 2);
  assert.equal(gateway.applied, [["orders version 1"], ["orders version 2"]]);
  await stop();
  await server.close();
});

test("the backoff of an unavailable source resets after each success, also if nothing is new", async () => {
  const { bytes, digest, blobs } = version(1);
  const absences = 5;
  const attempts = 7; // per outage: if pauses doubled across outages, the test would not end
  let asked = 0;
  const source: ArtifactSource = {
    name: "a source",
    next: async () => {
      asked += 1;
      if (asked % attempts !== 0) throw new Error("away");
      return asked === attempts ? { bytes, digest } : undefined;
    },
    blob: async (name) => blobs.get(name) ?? new Uint8Array(),
  };
  const { deployer } = recordingDeployer();
  const ending = new AbortController();
  const backoff = { first: 1, longest: 3_600_000 };
  const done = follow({ deployer, source, cacheFolder: undefined, signal: ending.signal, backoff });
  await until(() => asked >= absences * attempts);
  ending.abort();
  await done;
});

test("invalid responses keep the current deployment and are logged once; the next deployment is applied", async () => {
  const { server, source, answers, deploys } = await management();
  deploys(version(1));
  const { gateway, deployer, lines, stop } = following(source);
  await until(() => gateway.applied.length === 1);
  const nonsense: readonly Reply[] = [
    { body: "<html>sorry</html>" },
    { body: "{}" },
    { body: '{"format":1,"apis":[]}' },
    { status: 500 },
    { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    { headers: { etag: `"${"0".repeat(64)}"` }, body: "{}" },
  ];
  for (const reply of nonsense) {
    const before = deployer.report().problem;
    answers(() => reply);
    await until(() => deployer.report().problem !== undefined && deployer.report().problem !== before);
    assert.is(deployer.report().deployment, 1);
  }
  const refusals = lines.filter(({ level }) => level === "error");
  assert.is(refusals.length, nonsense.length, "each is told once, however often it is met");
  assert.is(gateway.applied.length, 1);
  deploys(version(2));
  await until(() => gateway.applied.length === 2);
  assert.is(deployer.report().problem, undefined);
  await stop();
  await server.close();
});

test("a deployment with a missing module is applied once the module is available", async () => {
  const { server, source, blobs, deploys } = await management();
  const packed = version(1);
  deploys(packed);
  const [[digest, bytes] = ["", new Uint8Array()]] = packed.blobs;
  blobs.delete(digest);
  const { gateway, deployer, stop } = following(source);
  await until(() => deployer.report().problem?.includes("it answers 404"));
  blobs.set(digest, bytes);
  await until(() => gateway.applied.length === 1);
  await stop();
  await server.close();
});

test("a gateway starts from its copy while the service is unavailable, and updates when it is back", async () => {
  const folder = temporaryDirectory("cache");
  const first = await management();
  first.deploys(version(1));
  const before = following(first.source, { cacheFolder: folder });
  await until(() => before.gateway.applied.length === 1);
  await before.stop();
  await first.server.close();
  const second = await management();
  second.answers(() => ({ status: 503 }));
  const after = following(second.source, { cacheFolder: folder });
  await until(() => after.gateway.applied.length === 1);
  assert.equal(after.gateway.applied, [["orders version 1"]]);
  second.deploys(version(2));
  await until(() => after.gateway.applied.length === 2);
  assert.equal(after.gateway.applied.at(-1), ["orders version 2"]);
  await after.stop();
  await second.server.close();
});

test("a gateway with a verification key does not start from an unsigned copy", async () => {
  const folder = temporaryDirectory("cache");
  const first = await management();
  const { signature: _, ...unsigned } = version(1);
  first.deploys(unsigned);
  const before = following(first.source, { cacheFolder: folder });
  await until(() => before.gateway.applied.length === 1);
  await before.stop();
  first.answers(() => ({ status: 503 }));
  const after = following(first.source, { cacheFolder: folder, key: keys.publicKey });
  await until(() => after.lines.some(({ problem }) => String(problem).includes("signed")));
  assert.is(after.gateway.applied.length, 0);
  await after.stop();
  await first.server.close();
});

test("a failed process start ends following", async () => {
  const { server, source, deploys } = await management();
  deploys(version(1));
  const { done } = following(source, {
    start: async () => {
      throw new Error("the port is taken");
    },
  });
  const error: unknown = await done.catch((reason: unknown) => reason);
  assert.is((error as Error).message, "the process cannot start");
  await server.close();
});

test("all invalid settings are reported together", () => {
  const folder = temporaryDirectory("deployed");
  const problemsOf = (from: string, variables: Record<string, string> = {}) => {
    const environment = createEnvironment(variables, () => "");
    try {
      environment.collect(() => readFollowSettings(from, environment));
      return [];
    } catch (error) {
      return (error as { problems: readonly string[] }).problems;
    }
  };
  assert.equal(problemsOf(folder), []);
  assert.equal(problemsOf("https://management.example.com/base"), []);
  assert.match(problemsOf("nowhere").join(), "is neither a folder");
  assert.match(problemsOf("https://user:secret@example.com").join(), "GW_MANAGEMENT_TOKEN");
  assert.not.match(problemsOf("https://user:secret@example.com").join(), "secret");
  assert.match(problemsOf("https://example.com/?token=a").join(), "more than a path");
  assert.match(problemsOf(folder, { GW_CACHE_DIR: folder }).join(), "GW_CACHE_DIR is the folder");
  const both = problemsOf("http://[", { GW_VERIFY_KEY: "nonsense" });
  assert.match(both.join(), "the address of the management service cannot be read");
  assert.match(both.join(), "GW_VERIFY_KEY is not the public half");
  const pems = [publicPem(), publicPem()];
  assert.equal(problemsOf(folder, { GW_VERIFY_KEY: pems[0] ?? "" }), []);
  assert.match(problemsOf(folder, { GW_VERIFY_KEY: pems.join("") }).join(), "public half of one Ed25519 key");
});

function publicPem(): string {
  const { publicKey } = generateKeyPairSync("ed25519");
  return publicKey.export({ type: "spki", format: "pem" }).toString();
}

test("tokens and code over plain HTTP are reported, except on the local machine", () => {
  const notesOf = (from: string, variables: Record<string, string> = {}) =>
    readFollowSettings(
      from,
      createEnvironment(variables, () => ""),
    ).notes;
  assert.equal(notesOf("http://127.0.0.1:3000", { GW_MANAGEMENT_TOKEN: "a" }), []);
  assert.equal(notesOf("https://management.example.com", { GW_MANAGEMENT_TOKEN: "a" }), []);
  assert.is(notesOf("http://management.example.com", { GW_MANAGEMENT_TOKEN: "a" }).length, 2);
});

test.run();
