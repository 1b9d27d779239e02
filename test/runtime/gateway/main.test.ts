import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../../runtime/process/log.ts";
import { startProblems } from "../../../runtime/process/start-problems.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { type Program, run, start } from "../../harness/processes.ts";
import { patience, until } from "../../harness/wait.ts";
import { startGateway } from "./start-gateway.ts";

const program = new URL("process.ts", import.meta.url).pathname;
const following = new URL("following.ts", import.meta.url).pathname;
const quiet = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** Starts a gateway, and waits until its stream runs: before that, requests get 503. */
async function launch(env: Record<string, string> = {}): Promise<{ program: Program; url: string }> {
  const started = start(process.execPath, [program], { env: { ...quiet, ...env } });
  const [, line = ""] = await started.matching(/^(.*"msg":"listening".*)$/m);
  const { gateway, admin } = JSON.parse(line);
  await until(async () => (await fetch(`${admin}/readyz`)).status === 200, {
    what: "the gateway to be ready",
  });
  return { program: started, url: gateway };
}

test("SIGTERM drains requests in flight and exits 0", async () => {
  const { program, url } = await launch();
  const answer = fetch(`${url}/slow`);
  await program.matching(/request in flight/);
  assert.is(await program.stop("SIGTERM"), 0);
  assert.is(await (await answer).text(), "finished");
  assert.match(program.output(), /"msg":"stopped"/);
});

/** Lets a gateway allocate until its young generation stops growing, with so many processors. */
async function grown(gateway: string, processors: number, options: readonly string[] = [], env = {}) {
  const grow = `
    const os = process.getBuiltinModule("node:os");
    const v8 = process.getBuiltinModule("node:v8");
    os.availableParallelism = () => ${processors};
    const { setFlagsFromString } = v8;
    const flags = [];
    v8.setFlagsFromString = (flag) => {
      flags.push(flag);
      setFlagsFromString(flag);
    };
    process.once("SIGUSR2", () => {
      const kept = [];
      let rounds = 0;
      const turn = () => {
        rounds += 1;
        kept[rounds % 64] = Array.from({ length: 4096 }, () => [rounds]);
        if (rounds < 700) return setImmediate(turn);
        const { space_size } = v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
        const megabytes = space_size / 1024 / 1024;
        console.log("grown to " + JSON.stringify({ megabytes, threads: flags.includes("--no-parallel-scavenge") ? "one" : "several" }));
      };
      turn();
    });`;
  const own = ["--import", `data:text/javascript,${encodeURIComponent(grow)}`, gateway];
  const started = start(process.execPath, [...options, ...own], { env: { ...quiet, ...env } });
  const [, url = ""] = await started.matching(/"gateway":"([^"]+)"/);
  // The gateway observes its memory once it has work.
  await (await fetch(`${url}/none`)).text();
  started.process.kill("SIGUSR2");
  const [, seen = ""] = await started.matching(/grown to (.*)/);
  await started.stop("SIGTERM");
  return JSON.parse(seen) as { readonly megabytes: number; readonly threads: string };
}

test("the young generation stops growing at 32 MB; one thread collects it where a process has one processor", async () => {
  for (const gateway of [program, following]) {
    const alone = await grown(gateway, 1);
    assert.ok(alone.megabytes <= 32, gateway);
    assert.is(alone.threads, "one", gateway);
    const asked = await grown(gateway, 2, ["--max-semi-space-size=64"]);
    assert.ok(asked.megabytes > 32, `${gateway}: options of Node.js say otherwise`);
    assert.is(asked.threads, "several", gateway);
    // The primary has no client itself.
    assert.is((await grown(gateway, 2, [], { GW_WORKERS: "2" })).threads, "one", gateway);
  }
});

test("SIGINT stops as well; a second signal does not wait", async () => {
  const { program, url } = await launch();
  const answer = fetch(`${url}/slow`).catch(() => "cut");
  await program.matching(/request in flight/);
  program.process.kill("SIGINT");
  await program.matching(/"msg":"stopping"/);
  program.process.kill("SIGINT");
  assert.is(await program.ended, 1);
  assert.is(await answer, "cut");
});

test("SIGHUP stops as well; further ones, as sent by shells, do not interrupt the drain", async () => {
  const { program, url } = await launch();
  const answer = fetch(`${url}/slow`);
  await program.matching(/request in flight/);
  program.process.kill("SIGHUP");
  await program.matching(/"msg":"stopping"/);
  program.process.kill("SIGHUP");
  program.process.kill("SIGUSR2");
  assert.is(await program.ended, 0);
  assert.is(await (await answer).text(), "finished");
});

test("an address in use or invalid settings: one line with all reasons, exit 1", async () => {
  const other = await startGateway([]);
  const address = new URL(other.url).host;
  const lineOf = async (env: Record<string, string>) => {
    const { status, stdout, stderr } = await run(process.execPath, [program], { env: { ...quiet, ...env } });
    const lines = stdout.trim().split("\n");
    assert.equal([status, lines.length, stderr], [1, 1, ""]);
    const { level, msg, problems } = JSON.parse(lines[0] ?? "");
    assert.equal([level, msg], ["error", "cannot start"]);
    return problems;
  };
  assert.equal(await lineOf({ GW_LISTEN: address }), [
    `${address} is in use; set GW_LISTEN to another address`,
  ]);
  const wrong = { GW_WORKERS: "many", GW_DRAIN_DELAY: "2h", GW_ADMIN_TOKEN: "short", GW_LOG_LEVEL: "loud" };
  assert.equal(await lineOf({ GW_LISTEN: "nonsense", GW_ADMIN_LISTEN: "1", ...wrong }), [
    "GW_WORKERS is not an integer",
    "GW_LISTEN is not an address such as 127.0.0.1:8080: nonsense",
    "GW_ADMIN_LISTEN is not an address such as 127.0.0.1:8080: 1",
    "GW_ADMIN_TOKEN is not 16 or more ASCII characters without blanks",
    "GW_DRAIN_DELAY is not between 0s and 1h",
    "GW_LOG_LEVEL is not one of debug, info, warn, error, silent",
  ]);
  assert.equal(await lineOf({ GW_LISTEN: "192.0.2.1:8080" }), [
    "192.0.2.1:8080 is no address of this machine; set GW_LISTEN to another address",
  ]);
  await other.close();
});

test("a store that cannot be opened is a problem that names its file", async () => {
  const file = join(temporaryDirectory("store"), "missing/store.db");
  const opening = openStore({ kind: "sqlite", file }, createLogger("silent"));
  const failure = await opening.catch((error: unknown) => error);
  assert.equal(startProblems(failure), [
    `The store \`${file}\` cannot be used: unable to open database file; its folder has to exist and to be writable`,
  ]);
});

test("an old Node: one line with the reason, exit 1", async () => {
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
  const old = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, program];
  const { status, stdout, stderr } = await run(process.execPath, old, { env: quiet });
  assert.equal([status, stderr], [1, ""]);
  assert.equal(JSON.parse(stdout).problems, ["this is Node 20.20.2, and Node 22.15 or newer is needed"]);
});

test("a closed gateway keeps nothing open that keeps its process alive", async () => {
  const script = `
    import { startGateway, ordersApi } from ${JSON.stringify(new URL("start-gateway.ts", import.meta.url).href)};
    import { httpServerOutput } from ${JSON.stringify(new URL("../../../runtime/connectors/http-server/output.ts", import.meta.url).href)};
    import { manualInput } from ${JSON.stringify(new URL("components.ts", import.meta.url).href)};
    const events = () => ({ input: manualInput(), output: httpServerOutput({ path: "/events" }) });
    const gateway = await startGateway([ordersApi({ events })], { demandGrace: 3_600_000 });
    const answer = await fetch(gateway.url + "/orders/events", { headers: { accept: "text/event-stream" } });
    const reader = answer.body.getReader();
    await reader.read();
    await gateway.close();
    while (!(await reader.read()).done);
    console.log("closed");
  `;
  const { status, stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
    timeout: patience,
  });
  assert.equal([status, stdout], [0, "closed\n"]);
});

test("importing the runtime opens nothing", async () => {
  const script = `
    for (const module of ["main", "gateway/serve", "gateway", "connectors/http-server/input", "connectors/http-server/output",
      "connectors/websocket-server/input", "connectors/websocket-server/output"]) {
      await import(${JSON.stringify(new URL("../../../runtime/", import.meta.url).href)} + module + ".ts");
    }
    console.log(JSON.stringify([process.getActiveResourcesInfo(), process.listenerCount("SIGTERM")]));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
  const [resources, listeners] = JSON.parse(stdout);
  assert.equal([resources.filter((name: string) => !/^(FS|Pipe|TTY)/.test(name)), listeners], [[], 0]);
});

test.run();
