import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createTerminalLog } from "../../compiler/cli/terminal-log.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { start } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";

/** Returns the lines that `write` logs, without colours and times. */
function linesOf(write: (log: ReturnType<typeof createTerminalLog>) => void, level?: string): string[] {
  let text = "";
  const terminal = { isTTY: true, write: (line: string) => (text += line) };
  write(createTerminalLog(terminal as unknown as NodeJS.WriteStream, level));
  return stripVTControlCharacters(text)
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""));
}

test("an event is one line: stream and component, message, details", () => {
  const lines = linesOf((log) => {
    log.info("listening", { gateway: "http://127.0.0.1:8080", admin: "http://127.0.0.1:8081" });
    const stream = log.with({ api: "orders", stream: "intake" });
    stream.info("stream running");
    stream.with({ component: "output.kafka" }).warn("batch not delivered", { reason: "topic unknown" });
    stream.error("failed", {
      error: new GatewayError(500, "Too large", { cause: new Error("secret text") }),
    });
    stream.debug("not shown");
  });
  assert.equal(lines, [
    "● listening http://127.0.0.1:8080 (admin http://127.0.0.1:8081)",
    "● orders/intake stream running",
    "▲ orders/intake output.kafka batch not delivered reason=topic unknown",
    "✖ orders/intake failed Too large",
  ]);
});

test("repeated messages that differ only in numbers are counted", () => {
  const lines = linesOf((log) => {
    for (let retry = 1; retry <= 120; retry++)
      log.warn(`unreachable, retry ${retry}`, { stream: "a", retry });
    for (let sent = 1; sent <= 3; sent++) log.info(`sent ${sent}`);
  });
  assert.equal(lines, [
    "▲ a unreachable, retry 1",
    "▲ a unreachable, retry 10 (10 times)",
    "▲ a unreachable, retry 100 (100 times)",
    "● sent 1",
    "● sent 2",
    "● sent 3",
  ]);
});

test("control characters in log values are removed, and the log level applies", () => {
  const lines = linesOf((log) => {
    log.info("not shown");
    log.warn("refused", { reason: "\u001B[2Jx\r\ny" });
  }, "warn");
  assert.equal(lines, ["▲ refused reason= [2Jx y"]);
});

test("run prints human-readable log lines at a terminal, without stack traces", async () => {
  const folder = temporaryDirectory("terminal");
  writeFileSync(
    join(folder, "stream.yaml"),
    `input: { amqp_1: { urls: ["amqp://127.0.0.1:1"], source_address: a } }\noutput: { drop: {} }\n`,
  );
  const command = `'${process.execPath}' '${join(projectRoot, "bin/sluice.js")}' run stream.yaml`;
  const env = { ...process.env, GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", NO_COLOR: "1" };
  const terminal = spawn("script", ["-qec", command, "/dev/null"], { cwd: folder, env });
  let shown = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (shown.includes("unreachable")) return;
    shown += text;
    if (shown.includes("unreachable")) terminal.stdin.write("\u0003");
  });
  await once(terminal, "close");
  assert.match(shown, /\d\d:\d\d:\d\d ● listening http:\/\/127\.0\.0\.1:\d+ \(admin http:/m);
  assert.match(
    shown,
    /▲ stream\/stream input\.amqp_1 stream failed to start: .*unreachable \(connection refused\), retry 1 in 1 s/,
  );
  assert.not.match(shown, /"level"| {4}at /);
});

test("closing the terminal drains the gateway", async () => {
  const folder = temporaryDirectory("closed-terminal");
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const upstream = await httpServer(async () => {
    ask();
    await answered;
    return { status: 200 };
  });
  writeFileSync(
    join(folder, "stream.yaml"),
    `input: { http_server: { path: /in } }\noutput: { http_client: { url: "${upstream.url}" } }\n`,
  );
  const command = `exec '${process.execPath}' '${join(projectRoot, "bin/sluice.js")}' run stream.yaml`;
  const env = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", NO_COLOR: "1" };
  const program = start("script", ["-qec", command, "/dev/null"], { cwd: folder, env, keepsInput: true });
  const [, url = ""] = await program.matching(/listening (http\S+)/);
  await program.matching(/stream running/);
  const posted = fetch(`${url}/in`, { method: "POST", body: "a" });
  await asked;
  assert.is(await program.stop("SIGKILL"), "SIGKILL");
  // The listener closes immediately, and the request in flight still gets its response.
  await until(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  );
  answer();
  assert.is((await posted).status, 200);
  await upstream.close();
});

test.run();
