import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { sluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";

test("blobl prints a result for each line, and omits deleted messages", async () => {
  const input = '{"a":1}\n{"a":2}\r\n{"a":3}';
  const outcome = await sluice(["blobl", "root = if this.a == 2 { deleted() } else { this.a }"], { input });
  assert.equal(outcome, { status: 0, stdout: "1\n3\n", stderr: "" });
});

test("failures go to standard error with their line number, other lines are mapped, and the exit code is 1", async () => {
  const input = '{"a":"x"}\n{"a":1}\nno json\n{"a":"y"}\n';
  const outcome = await sluice(["blobl", "root = this.a.uppercase()"], { input });
  assert.equal([outcome.status, outcome.stdout], [1, "X\nY\n"]);
  const [first, second, ...rest] = outcome.stderr.split("\n");
  assert.is(
    first,
    "line 2: failed assignment (line 1): expected string value, got number from field `this.a` (1)",
  );
  assert.ok(second?.startsWith("line 3: failed assignment (line 1): unable to reference message"));
  assert.equal(rest, [""]);
});

test("a mapping is read from a file, and its imports are relative to it", async () => {
  const cwd = folderWith({
    "maps/main.blobl": 'import "./lib.blobl"\nroot = this.a.apply("up")\n',
    "maps/lib.blobl": "map up { root = this.uppercase() }\n",
  });
  const outcome = await sluice(["blobl", "-f", "maps/main.blobl"], { cwd, input: '{"a":"x"}\n' });
  assert.equal(outcome, { status: 0, stdout: "X\n", stderr: "" });
});

test("--raw reads lines as strings, --pretty indents JSON", async () => {
  const raw = await sluice(["blobl", "-r", 'root.words = this.split(" ")'], { input: 'a b\n{"c": 1}\n' });
  assert.equal(raw, { status: 0, stdout: '{"words":["a","b"]}\n{"words":["{\\"c\\":","1}"]}\n', stderr: "" });
  const mapping = 'root = if this.type() == "object" { this } else { this.string() }';
  const pretty = await sluice(["blobl", "--pretty", mapping], { input: '{"b":[1.50],"a":{}}\n"{}"\n' });
  assert.equal(pretty, { status: 0, stdout: '{\n  "a": {},\n  "b": [\n    1.50\n  ]\n}\n{}\n', stderr: "" });
  const untouched = await sluice(["blobl", "-p", "let a = 1"], { input: '{"a":1}\nno json\n' });
  assert.equal(untouched, { status: 0, stdout: '{\n  "a": 1\n}\nno json\n', stderr: "" });
});

test("options of the reference engine without effect here are accepted if they are integers", async () => {
  const options = ["-t", "4", "--max-token-length", "1000000"];
  const outcome = await sluice(["blobl", ...options, "root = this.a"], { input: '{"a":1}\n{"a":2}\n' });
  assert.equal(outcome, { status: 0, stdout: "1\n2\n", stderr: "" });
  const wrong = await sluice(["blobl", "--threads", "many", "root = this"], { input: "" });
  assert.is(wrong.status, 64);
  assert.match(wrong.stderr, /^sluice: .*integer.*\n$/);
});

test("bytes that are not UTF-8 pass unchanged", async () => {
  const child = spawn(process.execPath, [join(projectRoot, "bin/sluice.js"), "blobl", "root = content()"]);
  const chunks: Uint8Array[] = [];
  child.stdout.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  child.stdin.end(Uint8Array.of(0xff, 0xfe, 0x0a, 0xc3));
  await once(child, "close");
  assert.equal([...Buffer.concat(chunks)], [0xff, 0xfe, 0x0a, 0xc3, 0x0a]);
});

test("a mapping that does not compile is shown in a code frame, before any input is read", async () => {
  const outcome = await sluice(["blobl", "root = this.a.upercase()"], { input: "{}\n" });
  assert.equal([outcome.status, outcome.stdout], [1, ""]);
  assert.match(outcome.stderr, "GW3004");
  assert.match(outcome.stderr, "mapping.blobl:1:15");
  const missing = await sluice(["blobl", "-f", "none.blobl"], { input: "" });
  assert.equal([missing.status, missing.stdout], [1, ""]);
  assert.match(missing.stderr, "GW1001");
});

test("many lines stream to a reader that starts slowly", async () => {
  const child = spawn(process.execPath, [join(projectRoot, "bin/sluice.js"), "blobl", "root = this.n"]);
  const total = 100_000;
  const closed = once(child, "close");
  let text = "";
  const writing = (async () => {
    for (let n = 0; n < total; n += 1000) {
      const lines = Array.from({ length: 1000 }, (_, index) => `{"n":${n + index}}\n`).join("");
      if (!child.stdin.write(lines)) await once(child.stdin, "drain");
      // The test starts to read late: the program has to wait without losing a line.
      if (n === 20_000) child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    }
    child.stdin.end();
  })();
  await Promise.all([writing, closed]);
  const lines = text.split("\n");
  assert.is(lines.length, total + 1);
  assert.is(lines.at(-2), String(total - 1));
});

test("a missing mapping without a terminal is misuse, as are two mappings", async () => {
  const none = await sluice(["blobl"], { input: "{}\n" });
  assert.equal([none.status, none.stdout], [64, ""]);
  assert.match(none.stderr, /^sluice: missing required argument 'mapping'/);
  const two = await sluice(["blobl", "-f", "a.blobl", "root = 1"], { input: "{}\n" });
  assert.equal([two.status, two.stdout], [64, ""]);
});

test.run();
