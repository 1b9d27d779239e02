import { execFileSync } from "node:child_process";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError, MappingError } from "../../runtime/errors.ts";
import { createLogger } from "../../runtime/process/log.ts";

function logged(error: unknown): Record<string, unknown> {
  const lines: string[] = [];
  createLogger("info", { write: (line) => lines.push(line) }).warn("it fails", { error });
  return JSON.parse(lines[0] ?? "");
}

test("an error is logged with its causes, without additional properties", () => {
  const cause = Object.assign(new TypeError("no route"), { code: "EHOSTUNREACH", password: "secret" });
  const { level, msg, error } = logged(new Error("not sent", { cause }));
  assert.equal([level, msg], ["warn", "it fails"]);
  const { stack, cause: reported, ...rest } = error as Record<string, unknown>; // JSON, as the next line proves
  assert.equal(rest, { type: "Error", message: "not sent" });
  assert.match(String(stack), "log.test.ts");
  const { stack: _, ...reason } = reported as Record<string, unknown>;
  assert.equal(reason, { type: "TypeError", message: "no route", code: "EHOSTUNREACH" });
});

test("message failures are logged without texts and causes, which may quote the message", () => {
  const cause = new SyntaxError("Unexpected token 's', \"secret\" is not valid JSON");
  const failures = [
    new MappingError("value secret is no number", "secret is no number", "a text is no number"),
    new GatewayError(422, "secret", { cause, reason: "rejected" }),
    new GatewayError(502, "The outputs failed", { cause: new GatewayError(422, "secret", { cause }) }),
  ];
  assert.not.match(JSON.stringify(failures.map(logged)), "secret");
  assert.equal(logged(failures[0]).error, { type: "MappingError", message: "a text is no number" });
  assert.equal(logged(failures[1]).error, { type: "GatewayError", message: "rejected" });
});

test("an error that is a string is logged as its message; of other values only the type is logged", () => {
  assert.equal(logged("connection refused").error, { message: "connection refused" });
  assert.equal(logged({ token: "secret" }).error, { type: "object" });
});

test("fields are logged once, with their last value, and one that cannot be serialized does not affect the others", () => {
  const lines: string[] = [];
  const log = createLogger("info", { write: (line) => lines.push(line) }).with({ stream: "a", worker: 1 });
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  log.with({ stream: "b" }).info("new", { ring, many: 2n ** 70n, list: [1n], left: undefined, worker: 2 });
  log.debug("below the level");
  assert.is(lines.length, 1);
  const { time, ...line } = JSON.parse(lines[0] ?? "");
  assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(line, {
    level: "info",
    stream: "b",
    worker: 2,
    ring: "(cannot be written as JSON)",
    many: String(2n ** 70n),
    list: ["1"],
    msg: "new",
  });
});

/** Returns what a process logs to a standard output that `shell` sets up. */
function runLogging(script: string, shell: string): string {
  const log = JSON.stringify(new URL("../../runtime/process/log.ts", import.meta.url).href);
  const code = `import { createLogger } from ${log}; const log = createLogger("info"); ${script}`;
  return execFileSync("sh", ["-c", shell, "sh", process.execPath, code], { encoding: "utf8" });
}

const command = '"$1" --input-type=module -e "$2"';

test("output to a pipe is complete, even if its reader is slow", () => {
  const script = 'for (let at = 0; at < 200; at += 1) log.info("x".repeat(5000)); process.exit(0);';
  const text = runLogging(script, `${command} | (sleep 0.3; cat)`);
  const lines = text.trimEnd().split("\n");
  assert.is(lines.length, 200);
  for (const line of lines) assert.is(JSON.parse(line).msg.length, 5000);
});

test("records keep their order among other lines, and are written before the process exits", () => {
  const script =
    'for (const name of ["record", "info", "record", "record"]) log[name](name); process.exit(0);';
  const lines = runLogging(script, command).trimEnd().split("\n");
  assert.equal(
    lines.map((line) => JSON.parse(line).msg),
    ["record", "info", "record", "record"],
  );
});

test("records of one turn are written together at its end, as many as a pipe takes undivided", () => {
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const written = [];
    fs.writeSync = (_, bytes) => {
      written.push(String(bytes));
      return bytes.length;
    };
    syncBuiltinESMExports();
    for (let at = 0; at < 8; at += 1) log.record("ü".repeat(500));
    setImmediate(() => console.log(JSON.stringify(written)));`;
  const written: string[] = JSON.parse(runLogging(script, command));
  const lines = written.map((text) => text.split("\n").length - 1);
  assert.equal(lines, [3, 3, 2]);
  for (const text of written) assert.ok(Buffer.byteLength(text) <= 4096 && text.endsWith("\n"));
});

test("a process survives a closed log reader and a full disk", () => {
  const script = 'for (let at = 0; at < 200; at += 1) log.info("x".repeat(5000)); console.error("alive");';
  for (const output of ["| true", "> /dev/full"])
    assert.is(runLogging(script, `(${command} 2>&3 ${output}) 3>&1`), "alive\n");
});

test.run();
