import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { command } from "../../../runtime/connectors/subprocess/command.ts";
import { subprocessInput } from "../../../runtime/connectors/subprocess/input.ts";
import { subprocessOutput } from "../../../runtime/connectors/subprocess/output.ts";
import { subprocess } from "../../../runtime/connectors/subprocess/step.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { textOf } from "../gateway/components.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

const test = suite("subprocess");
const node = process.execPath;

/** Returns what a step makes of each text: the content, or the failure. */
async function outcomes(step: ReturnType<typeof command>, ...texts: string[]): Promise<readonly string[]> {
  const [batch = []] = await step.process(batchOf(...texts), componentContext());
  return batch.map((message) => message.failure?.message ?? textOf(message));
}

/** Returns the arguments of a program, independent of the message. */
const args =
  (...values: string[]) =>
  () =>
    Message.fromText(JSON.stringify(values));

test("command: the output of the program replaces each message", async () => {
  const step = command({ name: "tr", args_mapping: args("a-z", "A-Z") });
  assert.equal(await outcomes(step, "one", "two\n"), ["ONE", "TWO\n"]);
  assert.equal(await outcomes(command({ name: "cat" }), "ü"), ["ü"]);
});

test("command: arguments reach the program unchanged, without a shell", async () => {
  const hostile = args("%s|", "$(id)", "; rm -rf /", "`id`", "a b", "*");
  assert.equal(await outcomes(command({ name: "printf", args_mapping: hostile }), ""), [
    "$(id)|; rm -rf /|`id`|a b|*|",
  ]);
  const [zero] = await outcomes(command({ name: "printf", args_mapping: args("a\0b") }), "");
  assert.is(zero, "an argument of the command holds a zero byte");
  const raw = () => Message.fromText("").withDocument(["a\udcffb"]);
  const [broken] = await outcomes(command({ name: "printf", args_mapping: raw }), "");
  assert.is(broken, "an argument of the command is not valid UTF-8");
  const [long] = await outcomes(command({ name: "printf", args_mapping: args("a".repeat(4_000_000)) }), "");
  assert.is(long, "the arguments of the command are longer than the system takes");
  const numbers = () => Message.fromText('["%s", 12345678901234567890]');
  assert.equal(await outcomes(command({ name: "printf", args_mapping: numbers }), ""), [
    "12345678901234567890",
  ]);
  const object = () => Message.fromText("{}");
  assert.equal(await outcomes(command({ name: "printf", args_mapping: object }), ""), [
    "args_mapping did not return an array",
  ]);
});

test("command: a failure, too much output and a timeout fail the message", async () => {
  const script = (text: string) => args("-e", text);
  const failing = command({ name: node, args_mapping: script("console.error('bad'); process.exitCode = 3") });
  assert.equal(await outcomes(failing, "x"), ["execution error: exit status 3: bad\n"]);
  const endless = script("const write = () => process.stdout.write('y'.repeat(65536), write); write()");
  assert.equal(await outcomes(command({ name: node, args_mapping: endless, max_output_bytes: 1000 }), "x"), [
    "The command wrote more than 1000 bytes",
  ]);
  const slow = command({ name: "sleep", args_mapping: args("60"), timeout: 50 });
  assert.equal(await outcomes(slow, "x"), ["The command took more than 50 ms"]);
  assert.equal(await outcomes(command({ name: "no-such-program" }), "x"), [
    "The command `no-such-program` cannot be started",
  ]);
  const warns = command({ name: node, args_mapping: script("console.error('careful')") });
  const [batch = []] = await warns.process(batchOf("x"), componentContext());
  assert.is(batch[0]?.metadata.get("command_stderr"), "careful\n");
});

test("command: the program does not see the gateway's credentials", async () => {
  process.env.GW_SECRET_OF_TEST = "secret";
  process.env.OTHER_OF_TEST = "open";
  const [text = ""] = await outcomes(command({ name: "env" }), "");
  Reflect.deleteProperty(process.env, "GW_SECRET_OF_TEST");
  Reflect.deleteProperty(process.env, "OTHER_OF_TEST");
  assert.match(text, "OTHER_OF_TEST=open");
  assert.not.match(text, "GW_SECRET");
});

test("command: a program and its child processes are killed when the stream stops", async () => {
  const stopping = new AbortController();
  const step = command({ name: "sh", args_mapping: args("-c", "sleep 60 & wait") });
  const work = Promise.resolve(
    step.process(batchOf("x"), { ...componentContext(), signal: stopping.signal }),
  );
  setImmediate(() => stopping.abort());
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.is((error as GatewayError).status, 503);
});

const shout =
  "process.stdin.setEncoding('utf8'); let left = ''; process.stdin.on('data', (text) => { const lines = (left + text).split('\\n'); left = lines.pop(); for (const line of lines) { if (line === 'bad') console.error('no'); else if (line === 'end') process.exit(1); else if (line !== 'late') console.log(line.toUpperCase()); } })";

test("subprocess: one program answers each line, and is restarted when it exits", async () => {
  const step = subprocess({ name: node, args: ["-e", shout], timeout: 60_000 });
  assert.equal(await outcomes(step, "one", "two\nlines\n", "bad", "three"), [
    "ONE",
    "TWO\nLINES\n",
    "no",
    "THREE",
  ]);
  const [ended = "", next] = await outcomes(step, "end", "four");
  assert.match(ended, /ended without an answer|does not read/);
  assert.is(next, "FOUR");
  await step.close?.();
  // A shell, since the next program has to start and answer within the same time.
  const echo = "while read -r line; do [ $line = late ] || echo $line; done";
  const impatient = subprocess({ name: "sh", args: ["-c", echo], timeout: 2_000 });
  const [late = "", after] = await outcomes(impatient, "late", "five");
  assert.match(late, /ended without an answer/);
  assert.is(after, "five");
  await impatient.close?.();
});

test("subprocess: length-prefixed messages may contain any byte", async () => {
  for (const codec of ["length_prefixed_uint32_be", "netstring"] as const) {
    const step = subprocess({ name: "cat", codec_send: codec, codec_recv: codec });
    assert.equal(await outcomes(step, "a\nb", "", "ü,:"), ["a\nb", "", "ü,:"]);
    assert.match((await outcomes(step, "x".repeat(70_000)))[0] ?? "", /more than 65536 bytes/);
    assert.equal(await outcomes(step, "again"), ["again"]);
    await step.close?.();
  }
});

test("subprocess input: each line is a message, and the input ends with the program", async () => {
  const state = { ends: 0 };
  const context = { ...inputContext(), reportEnd: () => (state.ends += 1) };
  const input = subprocessInput({ name: "printf", args: ["a\nb\n"] });
  await input.start(context);
  for (const text of ["a", "b"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  await until(() => state.ends === 1, { what: "the end" });
  await input.close();
  const missing = subprocessInput({ name: "no-such-program" });
  const error = await missing.start(inputContext()).catch((thrown: unknown) => thrown);
  assert.instance(error, GatewayError);
  await missing.close();
});

test("subprocess input: a running program is stopped when the input closes", async () => {
  const context = inputContext();
  const input = subprocessInput({ name: "sh", args: ["-c", "echo one; sleep 60"], restart_on_exit: true });
  await input.start(context);
  (await context.deliveries.next()).confirm();
  await input.close();
  assert.equal(
    context.lines.filter(({ level }) => level === "error"),
    [],
  );
});

test("subprocess output: messages are lines, and a program that exits is restarted", async () => {
  const path = join(temporaryDirectory(), "out");
  const context = componentContext();
  const output = subprocessOutput({
    name: "sh",
    args: ["-c", `while read line; do [ "$line" = end ] && exit 1; echo "$line" >> ${path}; done`],
  });
  await output.start(context);
  await output.write(batchOf("a", "b"));
  await until(() => existsSync(path) && readFileSync(path, "utf8") === "a\nb\n", { what: "the lines" });
  await output.write(batchOf("end"));
  await until(() => context.lines.some(({ message }) => message === "command ended"), { what: "the end" });
  await output.write(batchOf("c"));
  await output.close();
  assert.is(readFileSync(path, "utf8"), "a\nb\nc\n");
});

test.run();
