import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSession } from "../../compiler/cli/mapping-session.ts";
import { folderWith } from "./documents.ts";

/** Returns the answers of a session to each line. */
async function answers(...lines: readonly string[]): Promise<readonly string[]> {
  const session = createSession({});
  const given: string[] = [];
  for (const line of lines) {
    const { text, state } = await session.enter(line);
    given.push(state === "ready" ? text : `(${state})`);
  }
  return given;
}

test("a mapping runs on the current message", async () => {
  assert.equal(await answers("root.a = 1", ':message {"b":2}', "root = this.b + 1", ":message"), [
    '{"a":1}',
    "",
    "3",
    '{"b":2}',
  ]);
});

test("metadata can be set, read and shown", async () => {
  assert.equal(await answers(":meta key some value", "root = @key\nmeta other = 5", ":meta"), [
    "",
    'some value\nmetadata: {"key":"some value","other":5}',
    '{"key":"some value"}',
  ]);
});

test("incomplete input continues on the next line", async () => {
  assert.equal(await answers("root = if true {", '"yes"', "}", "root = deleted()"), [
    "(more)",
    "(more)",
    "yes",
    "(deleted)",
  ]);
});

test("an empty line ends input that stays incomplete, with a code frame", async () => {
  const [more, frame, after] = await answers("root = ", "", "root = 1");
  assert.equal([more, after], ["(more)", "1"]);
  assert.match(frame ?? "", "GW2008");
});

test("mistakes and failures are shown, and the session continues", async () => {
  const [unknown, failed, command, ok] = await answers(
    "root = nope()",
    "root = this.a.uppercase()",
    ":nope",
    "root = 1",
  );
  assert.match(unknown ?? "", "GW3003");
  assert.match(failed ?? "", "expected string value");
  assert.match(command ?? "", "Unknown command :nope");
  assert.is(ok, "1");
});

test(":load reads the message from a file, :help prints help, and :quit ends the session", async () => {
  const folder = folderWith({ "message.json": '{"from":"file"}' });
  const [loaded, result, missing, help, left] = await answers(
    `:load ${folder}/message.json`,
    "root = this.from",
    `:load ${folder}/none.json`,
    ":help",
    ":quit",
  );
  assert.equal([loaded, result, left], ["", "file", "(ended)"]);
  assert.match(missing ?? "", "ENOENT");
  assert.match(help ?? "", ":message TEXT");
});

test.run();
