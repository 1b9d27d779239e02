import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Look, SeenStream } from "../../cli/top/admin-client.ts";
import { frameOf } from "../../cli/top/frame.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { run, start } from "../harness/processes.ts";
import { sluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const token = "token-of-operators";

const intake = { api: "orders", stream: "intake", status: "running", clients: 2, lag: 7 };
const valuable = {
  ...{
    api: "orders",
    stream: "valuable",
    worker: 2,
    status: "blocked",
    reason: "mapping_failed, in a \u001B[31mb",
  },
  blocked: { attempts: 6, since: "2026-01-01T00:00:00.000Z", source: { topic: "orders", offset: 4 } },
};

let looks = 0;
const listener = await httpServer(({ path, headers }) => {
  if (path === "/readyz")
    return { status: 503, body: JSON.stringify({ status: "not ready", reasons: ["x"] }) };
  if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: "{}" };
  if (path === "/info")
    return { body: JSON.stringify({ version: "1.2.3", startedAt: "2026-01-01T00:00:00Z" }) };
  if (path !== "/streams") return { status: 404 };
  looks += 1;
  const messages = { received: looks * 100, delivered: looks * 99, failed: looks, inFlight: 3 };
  return {
    body: JSON.stringify({
      streams: [
        { ...intake, messages },
        { ...valuable, messages: {} },
      ],
    }),
  };
});

test("without a terminal, top prints tables, with failing streams first", async () => {
  const { status, stdout, stderr } = await sluice(
    ["top", listener.url, "--count", "2", "--interval", "10ms"],
    {
      env: { GW_ADMIN_TOKEN: token },
    },
  );
  assert.is(status, 0, stderr);
  const [first = "", second = ""] = stdout.split(/\n\n(?=http)/);
  for (const frame of [first, second]) {
    const [head = "", , titles = "", ...lines] = frame.trimEnd().split("\n");
    assert.match(
      head,
      `${listener.url} · not ready · 2 streams, 1 failed or blocked · Sluice 1.2.3 · up for `,
    );
    assert.match(titles, /^STREAM +STATE +IN\/s +OUT\/s +FAILED\/s +IN FLIGHT +LAG +CLIENTS$/);
    assert.match(lines[0] ?? "", /^orders\/valuable@2 {2}blocked +0 +0 +0 +0$/);
    assert.equal(lines.slice(1, 3), [
      "  mapping_failed, in a  [31mb",
      '  6 attempts, since 2026-01-01T00:00:00.000Z, at {"topic":"orders","offset":4}',
    ]);
    assert.match(lines[3] ?? "", /^orders\/intake +running +\d+\.\d +\d+\.\d +\d+\.\d +3 +7 +2$/);
  }
});

test("top reports why a gateway cannot be queried", async () => {
  const refused = await sluice(["top", listener.url, "--count", "1"], { env: { GW_ADMIN_TOKEN: "" } });
  assert.is(refused.status, 1);
  assert.is(
    refused.stderr,
    `sluice: ${listener.url} requires a token: set GW_ADMIN_TOKEN to the token of the gateway\n`,
  );
  const misspelled = await sluice(["top", "ftp://user:secret@host", "--count", "1"]);
  assert.is(misspelled.status, 64);
  assert.not.match(misspelled.stderr, "secret");
  await listener.close();
  const away = await sluice(["top", listener.url, "--count", "1"]);
  assert.is(away.status, 1);
  assert.is(
    away.stderr,
    `sluice: ${listener.url} is unreachable (the connection is refused: nothing listens there); check host and port, and that the server runs\n`,
  );
});

const stream = (name: string, received: number): SeenStream => ({
  ...{ name, status: "running", reason: "", attempts: undefined, since: undefined, source: undefined },
  ...{ received, delivered: 0, failed: 0, inFlight: 0, lag: undefined, clients: undefined },
});
const look = (at: number, streams: readonly SeenStream[]): Look => ({
  ...{ at, isReady: true, version: "", startedAt: undefined, streams },
});

test("a frame fits its terminal, and a counter that was reset has no rate", () => {
  const names = Array.from({ length: 30 }, (_, index) => `a/s${String(index).padStart(2, "0")}`);
  const before = look(
    0,
    names.map((name) => stream(name, 10)),
  );
  const now = look(
    2000,
    names.map((name) => stream(name, name === "a/s00" ? 5 : 20)),
  );
  const looks = { before, now, lost: undefined };
  const lines = frameOf("http://a", looks, { color: false, columns: 40, rows: 12 });
  assert.is(lines.length, 11);
  assert.ok(lines.every((line) => line.length <= 40));
  assert.is(lines.at(-1), "… 23 more lines");
  assert.match(lines[3] ?? "", /^a\/s00 {3}running {5}–/);
  assert.match(lines[4] ?? "", /^a\/s01 {3}running {3}5\.0/);
  for (const rows of [1, 2, 3, 4, 5, 6]) {
    assert.is(
      frameOf("http://a", looks, { color: false, columns: 10, rows }).length,
      Math.max(rows - 1, Math.min(rows, 4)),
    );
  }
  const lost = { reason: "http://a is unreachable (\u001B[2J)", since: 0 };
  const [, ...notice] = frameOf("http://a", { ...looks, lost }, { color: false, columns: 80 });
  assert.equal(notice.slice(0, 2), [
    "http://a is unreachable ( [2J)",
    "since 1970-01-01T00:00:00.000Z; trying again",
  ]);
});

test("names with wide characters keep the columns aligned", () => {
  const now = look(0, [stream("注文/s", 1), stream("a/s", 1)]);
  const looks = { before: undefined, now, lost: undefined };
  const [, , , plain, wide] = frameOf("http://a", looks, { color: false });
  assert.match(plain ?? "", /^a\/s {5}running/);
  assert.match(wide ?? "", /^注文\/s {2}running/);
  assert.is(frameOf("http://a", looks, { color: false, columns: 5 })[4], "注文/");
  assert.is(frameOf("http://a", looks, { color: false, columns: 3 })[4], "注");
});

/** Runs a command at a terminal of 60 columns and 12 rows; returns its output, and the device to change the size. */
async function openTerminal(args: string) {
  const command = `stty cols 60 rows 12; tty; exec '${process.execPath}' '${join(projectRoot, "bin/sluice.js")}' ${args}`;
  const env = { GW_ADMIN_TOKEN: token, NO_COLOR: "1" };
  const program = start("script", ["-qec", command, "/dev/null"], { env, keepsInput: true });
  const [device = ""] = await program.matching(/\/dev\/\S+/);
  return { program, device };
}

test("at a terminal, top follows its size, waits for a lost gateway and restores the terminal", async () => {
  let isAway = false;
  const streams = [{ api: "orders", stream: "intake", status: "running", messages: {} }];
  const gateway = await httpServer(({ path }) => {
    if (isAway) return { status: 502, body: "<html>" };
    return {
      body: JSON.stringify(path === "/streams" ? { streams } : { status: "ready", version: "1.2.3" }),
    };
  });
  const { program, device } = await openTerminal(`top ${gateway.url} --interval 50ms`);
  await program.matching(/\[\?1049h/);
  // The first frame has no rates; later frames have them.
  await program.matching(/intake {2}running {5}–.*intake {2}running {5}0/s);
  isAway = true;
  await program.matching(/answered with status 502 .*since \d{4}-\S+Z; trying again/s);
  await run("stty", ["-F", device, "cols", "120", "rows", "12"]);
  await program.matching(
    /502 \(a proxy in front of it cannot reach it; check whether it runs\).*since \S+Z; trying again/s,
  );
  isAway = false;
  const seen = program.output().length;
  await until(() => /· ready ·.*\[K\s+.\[K\s+STREAM/.test(program.output().slice(seen)));
  program.process.stdin?.write("q");
  assert.is(await program.ended, 0);
  assert.ok(program.output().trimEnd().endsWith("\u001B[?25h\u001B[?1049l"));
  await gateway.close();
});

test.run();
