// The first steps after installing the package: each in an empty folder, without a clone of the repository around it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { temporaryDirectory } from "./harness/directories.ts";
import { type Outcome, type Program, type ProgramOptions, run, start } from "./harness/processes.ts";
import { checksMapsTestsAndBuilds, nodes, packAndInstall } from "./packed.ts";

/** The installed command under one version of Node. */
class Newcomer {
  readonly #node: string;
  readonly #command: string;
  readonly folder: string;
  /** Whether this Node builds gateways, but does not run them. */
  readonly #isTooOld: boolean;

  /** `node` and `command`: paths of programs; `folder`: an empty folder. */
  constructor(node: string, command: string, folder: string, isTooOld: boolean) {
    this.#node = node;
    this.#isTooOld = isTooOld;
    this.#command = command;
    this.folder = folder;
  }

  call(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
    return run(this.#node, [this.#command, ...args], { cwd: this.folder, ...options });
  }

  start(args: readonly string[], options: ProgramOptions = {}): Program {
    return start(this.#node, [this.#command, ...args], { cwd: this.folder, ...options });
  }

  /** Creates a project; resolves with its folder. */
  async makeProject(): Promise<string> {
    const made = await this.call(["init", "shop"]);
    assert.equal([made.status, made.stderr], [0, ""]);
    return join(this.folder, "shop");
  }

  /** Checks, tests, builds and runs the project. */
  async runProject(project: string): Promise<void> {
    const options = { cwd: project };
    assert.equal(await this.call(["check", "gateway.yaml"], options), quiet);
    assert.match((await this.call(["test", "."], options)).stdout, /\n2 passed\n$/);
    assert.equal(await this.call(["build", "gateway.yaml", "-o", "out"], options), quiet);
    const serving = { ...options, env: freePorts };
    await takesOrders(start(this.#node, ["out/gateway.mjs"], serving));
    await takesOrders(this.start(["run", "gateway.yaml"], serving));
  }

  /** Prepares a project for shipping: a container, Kubernetes, one file. */
  async ship(project: string): Promise<void> {
    const args = ["--container", "--kubernetes", "--image", "registry.example.com/shop:1", "--executable"];
    const built = await this.call(["build", "gateway.yaml", "-o", "shipped", ...args], { cwd: project });
    assert.equal(built, quiet);
    const written = ["Containerfile", ".dockerignore", "kubernetes/deployment.yaml", "sbom.cdx.json"];
    for (const file of written) assert.ok(existsSync(join(project, "shipped", file)), file);
    await takesOrders(start(join(project, "shipped/gateway"), [], { cwd: project, env: freePorts }));
  }

  /** Asserts that shipping fails, because a gateway with this Node inside would not start. */
  async failsToShip(project: string): Promise<void> {
    const args = ["build", "gateway.yaml", "-o", "shipped", "--executable"];
    const { status, stderr } = await this.call(args, { cwd: project });
    assert.is(status, 1);
    assert.match(stderr, "gateways need Node 22.15 or newer");
    assert.not.ok(existsSync(join(project, "shipped/gateway")));
  }

  /** Runs the commands that help users and their editors. */
  async askForHelp(project: string): Promise<void> {
    const examined = await this.call(["doctor", "gateway.yaml"], { cwd: project, env: freePorts });
    if (this.#isTooOld) assert.match(examined.stdout, "gateways need Node 22.15 or newer: install Node 24");
    const [status, wrong] = this.#isTooOld ? [1, 1] : [0, 0];
    assert.equal([examined.status, examined.stderr], [status, ""], examined.stdout);
    assert.match(examined.stdout, new RegExp(` fine, \\d+ to look at, ${wrong} to put right\n$`));
    assert.match((await this.call(["completion", "bash"])).stdout, "for bash");
    assert.match((await this.call(["man"])).stdout, /^\.TH SLUICE 1 /);
    const schema = JSON.parse((await this.call(["schema", "--gateway"])).stdout);
    assert.equal(JSON.parse(readFileSync(join(project, ".vscode/gateway.schema.json"), "utf8")), schema);
    await this.#openEditor();
    const play = this.start(["play", "--port", "0"]);
    const [, page = ""] = await play.matching(/Playground: (\S+)/);
    assert.is((await fetch(page)).status, 200);
    assert.is(await play.stop(), 0);
  }

  async #openEditor(): Promise<void> {
    const server = spawn(this.#node, [this.#command, "lsp", "--stdio"], { cwd: this.folder });
    const ended = once(server, "exit");
    const connection = createMessageConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    connection.listen();
    const asked = { processId: null, rootUri: null, capabilities: {} };
    const { capabilities } = await connection.sendRequest<{ capabilities: object }>("initialize", asked);
    assert.ok("completionProvider" in capabilities);
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    assert.equal(await ended, [0, null]);
    connection.dispose();
  }

  /** Runs a management service with a gateway, sends it the project's documents and reads them back. */
  async manage(project: string): Promise<void> {
    const token = "the-first-key-of-this-service";
    const service = this.start(["serve", "--all-in-one"], {
      env: {
        ...freePorts,
        GW_MANAGEMENT_API_KEYS: token,
        GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
        GW_MANAGEMENT_STREAMING_ENABLED: "true",
      },
    });
    const [, server = ""] = await service.matching(/"management":"(http[^"]+)"/);
    const [, gateway = ""] = await service.matching(/"gateway":"(http[^"]+)"/);
    const ask = (...args: readonly string[]) =>
      this.call(args, { env: { GW_MANAGEMENT_TOKEN: token, GW_MANAGEMENT_URL: server } });
    const planned = await ask("plan", "-f", project);
    assert.is(planned.status, 2, planned.stderr);
    assert.match(planned.stdout, "1 to create, 0 to update, 0 to delete, 0 unchanged");
    const applied = await ask("apply", "-f", project);
    assert.is(applied.status, 0, applied.stderr);
    await orderAt(gateway);
    assert.is((await ask("export", "-f", "exported")).status, 0);
    const exported = await ask("plan", "-f", "exported", "--prune");
    assert.is(exported.status, 0, exported.stdout);
    assert.is(await service.stop(), 0);
  }
}

const quiet = { status: 0, stdout: "", stderr: "" };

/** The environment of a gateway that shares its machine. */
const freePorts = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** Asserts that a gateway of the project accepts an order, sends it to a reader, and exits with code 0. */
async function takesOrders(gateway: Program): Promise<void> {
  const [, address = ""] = await gateway.matching(/"gateway":"(http[^"]+)"/);
  await orderAt(address);
  assert.is(await gateway.stop(), 0, gateway.output());
}

/** Runs the commands that the project's README suggests. */
async function orderAt(address: string): Promise<void> {
  const reader = await fetch(`${address}/orders/events`, { headers: { accept: "text/event-stream" } });
  const order = await fetch(`${address}/orders/new`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"id":"a1","quantity":3,"price":19.9}',
  });
  assert.is(order.status, 200, await order.text());
  let read = "";
  for await (const part of reader.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += part;
    if (read.includes('"total":60')) break;
  }
  assert.match(read, '"total":60');
}

const { unpacked } = await packAndInstall();

for (const node of nodes.slice(1)) {
  test(`the installed command checks, maps, tests and builds on Node ${node.version}`, () =>
    checksMapsTestsAndBuilds(unpacked, node));
}

for (const { version, path } of nodes) {
  test(`a newcomer creates, runs, ships and manages a project on Node ${version}`, async () => {
    const isTooOld = version === "20"; // it builds gateways, which newer ones run
    const command = join(unpacked, "../.bin/sluice");
    const newcomer = new Newcomer(path, command, temporaryDirectory(`newcomer-${version}`), isTooOld);
    const project = await newcomer.makeProject();
    await newcomer.askForHelp(project);
    if (isTooOld) {
      await newcomer.failsToShip(project);
      return;
    }
    await newcomer.manage(project);
    await newcomer.runProject(project);
    await newcomer.ship(project);
  });
}

test.run();
