// The package as users receive it: packed, and installed where no other file of the project is.

import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { type Outcome, run, start } from "./harness/processes.ts";

const left = new Set([".git", ".cache", "node_modules", "out"]);

/** Whether an entry of the project is installed or generated; another test run may be building `dist/` anew. */
const isLeft = (name: string) => left.has(name) || name.startsWith(".dist-");

/** Folders of the project that no package contains, with most of its files. */
const unpackable = new Set([".ci", "bench", "test"].map((name) => join(projectRoot, name)));

/** Milliseconds for a step of npm, which takes minutes while other suites keep the processors busy. */
const patience = 600_000;

/** A package, and an installation of it. */
export interface Packed {
  readonly clone: string;
  readonly tarball: string;
  /** The folder of the installed package; its `node_modules` contains everything that an installation has. */
  readonly unpacked: string;
  readonly installation: Outcome;
}

/** The bundler's program for this platform: the only other package that an installation needs. */
const bundlerPackage = `@esbuild/${process.platform}-${process.arch}`;

/** Packs a copy of the tree, like a clone after `npm ci`, and installs that package without any downloads. */
export async function packAndInstall(): Promise<Packed> {
  const clone = temporaryDirectory("clone");
  const isCopied = (path: string) => !isLeft(basename(path)) && !unpackable.has(path);
  cpSync(projectRoot, clone, { recursive: true, filter: isCopied });
  symlinkSync(join(projectRoot, "node_modules"), join(clone, "node_modules"));
  const destination = temporaryDirectory("pack");
  const packed = await run("npm", ["pack", "--pack-destination", destination], {
    cwd: clone,
    timeout: patience,
  });
  assert.is(packed.status, 0, packed.stderr);
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  mkdirSync(join(destination, "bundler"));
  cpSync(join(projectRoot, "node_modules", bundlerPackage), join(destination, "bundler/package"), {
    recursive: true,
  });
  const packing = ["-czf", "bundler.tgz", "-C", "bundler", "package"];
  assert.is((await run("tar", packing, { cwd: destination })).status, 0);
  const folder = temporaryDirectory("installed");
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("npm_config_"));
  const tarballs = [tarball, "bundler.tgz"].map((file) => join(destination, file));
  const installation = await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...tarballs], {
    cwd: folder,
    timeout: patience,
    env: {
      // The npm that runs this test passes on its own settings.
      ...Object.fromEntries(inherited.map((name) => [name, undefined])),
      npm_config_cache: join(folder, ".cache"),
      npm_config_userconfig: join(folder, ".npmrc"),
      npm_config_update_notifier: "false",
    },
  });
  return { clone, tarball, unpacked: join(folder, "node_modules/sluice"), installation };
}

/** A version of Node. */
export interface NodeProgram {
  readonly version: string;
  readonly path: string;
}

/** The Node that runs this process, and the older versions that a clone contains on Linux. */
export const nodes: readonly NodeProgram[] = [
  { version: "24", path: process.execPath },
  ...["22", "20"]
    .map((version) => ({
      version,
      path: join(projectRoot, `node_modules/node-${version}-linux-x64/bin/node`),
    }))
    .filter(({ path }) => process.platform === "linux" && process.arch === "x64" && existsSync(path)),
];

/** The client of every broker; none of the brokers is reachable. */
const brokers = `
input: { broker: { inputs: [
  { kafka: { addresses: ["127.0.0.1:1"], topics: [a], consumer_group: a } }, { mqtt: { urls: ["tcp://127.0.0.1:1"], topics: [a] } },
  { nats: { urls: ["nats://127.0.0.1:1"], subject: a } }, { amqp_0_9: { urls: ["amqp://127.0.0.1:1"], queue: a } },
  { redis_pubsub: { url: "redis://127.0.0.1:1", channels: [a] } }, { amqp_1: { urls: ["amqp://127.0.0.1:1"], source_address: a } },
  { websocket: { url: "ws://127.0.0.1:1" } },
  { sql_select: { driver: postgres, dsn: "postgres://127.0.0.1:1/d", table: t, columns: [a] } } ] } }
pipeline: { processors: [ { mapping: 'root = this.a.re_replace_all("x", "y")' }, { compress: { algorithm: zstd } } ] }
output: { drop: {} }
`;

/** Asserts that an installed command checks, maps, tests and builds on a Node, and that the gateway runs. */
export async function checksMapsTestsAndBuilds(
  unpacked: string,
  { version, path }: NodeProgram,
): Promise<void> {
  const cwd = temporaryDirectory(`node-${version}`);
  const call = (args: readonly string[], input = "") =>
    run(path, [join(unpacked, "../.bin/sluice"), ...args], { cwd, input });
  writeFileSync(join(cwd, "brokers.yaml"), brokers);
  writeFileSync(join(cwd, "wrong.yaml"), "input: { kafak: {} }\noutput: { drop: {} }\n");
  writeFileSync(
    join(cwd, "tested.yaml"),
    `pipeline: { processors: [{ mapping: root = this.a }] }
tests: [{ name: works, input_batch: [{ content: '{"a":5}' }], output_batches: [[{ content_equals: "5" }]] }]
`,
  );
  const quiet = { status: 0, stdout: "", stderr: "" };
  assert.equal(await call(["check", "brokers.yaml"]), quiet);
  assert.equal(await call(["check", "brok*.yaml"]), quiet);
  assert.match((await call(["check", "wrong.yaml"])).stdout, "Did you mean `kafka`?");
  const numbers = '{"a":12345678901234567890.10}\n';
  assert.equal(await call(["blobl", "root = this"], numbers), { ...quiet, stdout: numbers });
  assert.equal(await call(["test", "tested.yaml"]), {
    ...quiet,
    stdout: "✓ tested.yaml:2  works\n\n1 passed\n",
  });
  const unwritable = await call(["build", "brokers.yaml", "-o", "tested.yaml/out"]);
  assert.is(unwritable.stderr, "sluice: cannot write to `tested.yaml/out`: not a directory\n");
  assert.equal(await call(["build", "brokers.yaml", "-o", "out"]), quiet);
  const env = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };
  const gateway = start(path, ["out/gateway.mjs"], { cwd, env });
  if (version === "20") {
    assert.is(await gateway.ended, 1);
    assert.match(gateway.output(), "this is Node 20.20.2, and Node 22.15 or newer is needed");
  } else {
    await gateway.matching(/"msg":"listening"/);
    await gateway.matching(/connection refused/);
    assert.is(await gateway.stop(), 0);
  }
}
