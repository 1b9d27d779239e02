import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../../runtime/process/log.ts";
import { startProblems } from "../../../runtime/process/start-problems.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { type Program, run, start } from "../../harness/processes.ts";
import { patience } from "../../harness/wait.ts";
import { startGateway } from "./start-gateway.ts";

const program = new URL("process.ts", import.meta.url).pathname;
const quiet = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

async function launch(env: Record<string, string> = {}): Promise<{ program: Program; url: string }> {
  const started = start(process.execPath, [program], { env: { ...quiet, ...env } });
  const [, line = ""] = await started.matching(/^(.*"msg":"listening".*)$/m);
  return { program: started, url: JSON.parse(line).gateway };
}

test("SIGTERM drains requests in flight and exits 0", async () => {
  const { program, url } = await launch();
  const answer = fetch(`${url}/slow`);
  await program.matching(/request in flight/);
  assert.is(await program.stop("SIGTERM"), 0);
  assert.is(await (await answer).text(), "finished");
  assert.match(program.output(), /"msg":"stopped"/);
});

test("the young generation of V8 stops growing at 32 MB, unless options of Node.js say otherwise", async () => {
  const grow = `process.once("SIGUSR2", () => {
    const kept = [];
    let rounds = 0;
    const turn = () => {
      rounds += 1;
      kept[rounds % 64] = Array.from({ length: 4096 }, () => [rounds]);
      if (rounds < 700) return setImmediate(turn);
      const spaces = process.getBuiltinModule("node:v8").getHeapSpaceStatistics();
      console.log("grown to", spaces.find((space) => space.space_name === "new_space").space_size);
    };
    turn();
  });`;
  const grown = async (...options: string[]) => {
    const own = ["--import", `data:text/javascript,${encodeURIComponent(grow)}`, program];
    const started = start(process.execPath, [...options, ...own], { env: quiet });
    const [, url = ""] = await started.matching(/"gateway":"([^"]+)"/);
    // The gateway observes its memory once it has work.
    await (await fetch(`${url}/none`)).text();
    started.process.kill("SIGUSR2");
    const [, size] = await started.matching(/grown to (\d+)/);
    await started.stop("SIGTERM");
    return Number(size) / 1024 / 1024;
  };
  assert.ok((await grown()) <= 32);
  assert.ok((await grown("--max-semi-space-size=64")) > 32);
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
