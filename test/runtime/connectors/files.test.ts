import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openBatchFile } from "../../../runtime/buffers/batch-file.ts";
import type { Input, InputContext, Output } from "../../../runtime/component/component.ts";
import { batchedInput } from "../../../runtime/connectors/batched/input.ts";
import { csvInput } from "../../../runtime/connectors/csv/input.ts";
import { fileInput } from "../../../runtime/connectors/file/input.ts";
import { fileOutput } from "../../../runtime/connectors/file/output.ts";
import { fileTailInput } from "../../../runtime/connectors/file-tail/input.ts";
import { fsEventInput } from "../../../runtime/connectors/fsevent/input.ts";
import { parquetInput } from "../../../runtime/connectors/parquet/input.ts";
import { openSqlite } from "../../../runtime/connectors/sql/sqlite.ts";
import { stdinInput } from "../../../runtime/connectors/stdin/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { readAuthorities } from "../../../runtime/process/tls.ts";
import { fileCache } from "../../../runtime/resources/file-cache.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { toTheEndScanner } from "../../../runtime/scanners/to-the-end.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, inputContext, outagesInto, textOfBatch } from "./contexts.ts";

const test = suite("files");
const broken = new GatewayError(502, "broker away");

/** Creates a folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory("files");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Returns a context that records the end of the input and what it reports about its source. */
function endingContext() {
  const context = inputContext();
  const reported = { ended: false, lost: [] as (string | undefined)[] };
  const given: InputContext = {
    ...context,
    reportEnd: () => {
      reported.ended = true;
    },
    beginOutage: outagesInto(reported.lost),
  };
  return { ...context, given, reported };
}

/** Confirms one delivery after another and returns their texts. */
async function confirm(context: ReturnType<typeof inputContext>, count: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const delivery = await context.deliveries.next();
    texts.push(delivery.text);
    delivery.confirm();
  }
  return texts;
}

async function refusal(output: Output, ...texts: readonly string[]): Promise<GatewayError> {
  const failure = await output.write(batchOf(...texts)).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  return failure as GatewayError;
}

test("file: lines are read in order, file by file, with their origin; then the input ends", async () => {
  const folder = folderOf({
    "b.txt": "three\r\n",
    "a.txt": "one\ntwo\n",
    "sub/c.txt": "four",
    "d.log": "no",
  });
  utimesSync(join(folder, "a.txt"), 1_700_000_000, 1_700_000_000);
  const context = endingContext();
  const input = fileInput({ paths: [`${folder}/*.txt, ${folder}/sub/c.txt`, `${folder}/a.txt`] });
  await input.start(context.given);
  const first = await context.deliveries.next();
  assert.equal(Object.fromEntries(first.batch[0]?.metadata ?? []), {
    path: join(folder, "a.txt"),
    mod_time: "2023-11-14T22:13:20Z",
    mod_time_unix: 1_700_000_000,
  });
  assert.is(first.text, "one");
  assert.is(context.deliveries.all.length, 1, "the next line waits for this one");
  first.confirm();
  assert.equal(await confirm(context, 3), ["two", "three", "four"]);
  await until(() => context.reported.ended);
  await input.close();
  assert.ok(existsSync(join(folder, "a.txt")));
});

test("file, csv, stdin: reading continues while a batch fills, and messages are acknowledged with the batch", async () => {
  const folder = folderOf({ "a.txt": "1\n2\n3", "b.txt": "4", "c.csv": "n\n1\n2\n3\n4" });
  const source = new PassThrough();
  source.end("1\n2\n3\n4\n");
  const inputs: readonly [Input, string][] = [
    [fileInput({ paths: [`${folder}/*.txt`], delete_on_finish: true }), ""],
    [csvInput({ paths: [`${folder}/c.csv`] }), '{"n":"#"}'],
    [stdinInput({}, source), ""],
  ];
  for (const [child, form] of inputs) {
    const text = (...numbers: number[]) =>
      numbers.map((each) => (form === "" ? String(each) : form.replace("#", String(each)))).join(" ");
    const context = endingContext();
    const input = batchedInput({ child, policy: { count: 2 } });
    await input.start(context.given);
    const first = await context.deliveries.next();
    assert.is(first.text, text(1, 2));
    assert.is(context.deliveries.all.length, 1, "the next batch waits for this one");
    first.refuse(broken);
    assert.equal(await confirm(context, 1), [text(1, 2)]);
    const last = await context.deliveries.next();
    assert.is(last.text, text(3, 4));
    assert.not(context.reported.ended);
    last.confirm();
    await until(() => context.reported.ended);
    await input.close();
  }
  assert.equal(readdirSync(folder), ["c.csv"], "files go once all of them is delivered");
});

test("file: scanners for other delimiters, empty lines and whole files", async () => {
  const folder = folderOf({ "a.txt": "one;;two;\nthree" });
  const read = async (scanner: Parameters<typeof fileInput>[0]["scanner"], count: number) => {
    const context = endingContext();
    const input = fileInput({ paths: [join(folder, "a.txt")], ...(scanner && { scanner }) });
    await input.start(context.given);
    const texts = await confirm(context, count);
    await until(() => context.reported.ended);
    await input.close();
    return texts;
  };
  assert.equal(await read(linesScanner({ custom_delimiter: ";" }), 4), ["one", "", "two", "\nthree"]);
  const wanted = { custom_delimiter: ";", omit_empty: true };
  assert.equal(await read(linesScanner(wanted), 3), ["one", "two", "\nthree"]);
  assert.equal(await read(toTheEndScanner(), 1), ["one;;two;\nthree"]);
});

test("file: a rejected message is redelivered; a file is deleted once all of it is delivered", async () => {
  const folder = folderOf({ "a.txt": "one\ntwo" });
  const context = endingContext();
  const input = fileInput({ paths: [`${folder}/a.txt`], delete_on_finish: true });
  await input.start(context.given);
  (await context.deliveries.next()).refuse(broken);
  assert.equal(await confirm(context, 1), ["one"]);
  const last = await context.deliveries.next();
  assert.ok(existsSync(join(folder, "a.txt")));
  last.confirm();
  await until(() => context.reported.ended);
  assert.not(existsSync(join(folder, "a.txt")));
  await input.close();
});

test("file: undelivered lines are read again at the next start, and given up if replay is off", async () => {
  const folder = folderOf({ "a.txt": "one\ntwo" });
  const paths = [`${folder}/a.txt`];
  const context = endingContext();
  const stopped = fileInput({ paths, delete_on_finish: true });
  await stopped.start(context.given);
  const pending = await context.deliveries.next();
  const closing = stopped.close();
  pending.confirm();
  await closing;
  assert.equal([context.reported.ended, existsSync(join(folder, "a.txt"))], [false, true]);

  const again = endingContext();
  const given: string[] = [];
  const input = fileInput({ paths, auto_replay_nacks: false });
  await input.start({ ...again.given, giveUp: async (batch) => void given.push(textOfBatch(batch)) });
  (await again.deliveries.next()).refuse(broken);
  assert.equal(await confirm(again, 1), ["two"]);
  assert.equal(given, ["one"]);
  await input.close();
});

test("file: a missing file fails the start, a file that cannot be opened fails the stream", async () => {
  const folder = folderOf({ "a.txt": "1", "b.txt": "2" });
  const start = fileInput({ paths: [`${folder}/*.csv`] }).start(endingContext().given);
  assert.match(String(await start.catch((error: unknown) => error)), /File .*\*\.csv not found/);
  const context = endingContext();
  const input = fileInput({ paths: [`${folder}/*.txt`] });
  await input.start(context.given);
  rmSync(join(folder, "b.txt"));
  (await context.deliveries.next()).confirm();
  await until(() => context.reported.lost.length === 1);
  assert.equal([context.reported.lost, context.reported.ended], [["file cannot be read"], false]);
  await input.close();
});

test("file: after a line above the limit or a folder, the next file is read; only whole files are deleted", async () => {
  const folder = folderOf({ "a.txt": "one\n0123456789\ntwo\n", "b.txt/c": "", "d.txt": "three\n" });
  const context = endingContext();
  const scanner = linesScanner({ max_buffer_size: 9 });
  const input = fileInput({ paths: [`${folder}/*.txt`], scanner, delete_on_finish: true });
  await input.start(context.given);
  assert.equal(await confirm(context, 2), ["one", "three"]);
  await until(() => context.reported.ended);
  await input.close();
  assert.equal([context.reported.lost, readdirSync(folder)], [[], ["a.txt", "b.txt"]]);
});

test("file: messages are written by codec, each to its file", async () => {
  const folder = temporaryDirectory("files");
  const written = async (codec: string | undefined, ...batches: readonly (readonly string[])[]) => {
    const path = join(folder, "made", `${(codec ?? "lines").replaceAll(/\W/g, "-")}.txt`);
    const output = fileOutput({ path, ...(codec !== undefined && { codec }) });
    await Promise.all(batches.map((texts) => output.write(batchOf(...texts))));
    await output.close();
    return readFileSync(path, "utf8");
  };
  assert.is(await written(undefined, ["a", "b"], ["c"]), "a\nb\nc\n");
  assert.is(await written("append", ["a", "b"], ["c"]), "abc");
  assert.is(await written("delim:; ", ["a", "b"]), "a; b; ");
  assert.is(await written("all-bytes", ["a", "b"], ["c"]), "c");
  assert.equal(readdirSync(join(folder, "made")).length, 4, "no draft is left");
  const split = fileOutput({ path: (batch, index) => join(folder, textOfBatch([batch[index] ?? fail()])) });
  await split.write(batchOf("x", "y", "x"));
  assert.is(readFileSync(join(folder, "x"), "utf8"), "x\nx\n");
  assert.is(readFileSync(join(folder, "y"), "utf8"), "y\n");
});

test("file: streams and workers that replace the same file do not mix their messages", async () => {
  const folder = temporaryDirectory("files");
  const path = join(folder, `${"n".repeat(251)}.bin`);
  const outputs = Array.from({ length: 4 }, () => fileOutput({ path, codec: "all-bytes" }));
  const writes = outputs.flatMap((output, index) =>
    Array.from({ length: 10 }, () => output.write(batchOf(String(index).repeat(1 + index * 500_000)))),
  );
  await Promise.all(writes);
  await Promise.all(outputs.map((output) => output.close()));
  const text = readFileSync(path, "utf8");
  assert.is(text, (text[0] ?? fail()).repeat(text.length));
  assert.equal(readdirSync(folder).length, 1, "no draft is left");
});

test("file: drafts of killed processes are removed, and are not read", async () => {
  const folder = folderOf({ ".draft-killed": "torn", ".draft-running": "half" });
  const longAgo = Date.now() / 1000 - 86_400;
  utimesSync(join(folder, ".draft-killed"), longAgo, longAgo);
  const output = fileOutput({ path: join(folder, "a"), codec: "all-bytes" });
  await output.write(batchOf("whole"));
  await output.close();
  assert.equal(readdirSync(folder).sort(), [".draft-running", "a"]);
  const context = endingContext();
  const input = fileInput({ paths: [`${folder}/**/*`], scanner: toTheEndScanner() });
  await input.start(context.given);
  assert.equal(await confirm(context, 1), ["whole"]);
  await until(() => context.reported.ended);
  await input.close();
});

test("file: a partial message from before does not merge with the next message", async () => {
  const folder = folderOf({ "torn.txt": "whole\nto", "parts.txt": "whole; to", "whole.txt": "whole\n" });
  for (const [name, codec, text] of [
    ["torn.txt", "lines", "whole\nto\nnext\nlast\n"],
    ["parts.txt", "delim:; ", "whole; to; next; last; "],
    ["whole.txt", "lines", "whole\nnext\nlast\n"],
    ["new.txt", "lines", "next\nlast\n"],
  ] as const) {
    const output = fileOutput({ path: join(folder, name), codec });
    await output.write(batchOf("next"));
    await output.write(batchOf("last"));
    await output.close();
    assert.is(readFileSync(join(folder, name), "utf8"), text);
  }
});

test("file: a message cannot escape the folder, and errors of the disk are reported", async () => {
  const folder = temporaryDirectory("files");
  const output = fileOutput({ path: (batch, index) => `${folder}/${textOfBatch([batch[index] ?? fail()])}` });
  for (const text of ["../a", "b/../../a", "a\0b"]) {
    const failure = await refusal(output, text);
    assert.equal([failure.status, failure.retryable], [422, false], text);
  }
  mkdirSync(join(folder, "taken"));
  const failure = await refusal(output, "taken");
  assert.equal(
    [failure.status, failure.message],
    [422, "The file cannot be written (illegal operation on a directory)"],
  );
  await output.write(batchOf("fine"));
  assert.ok(existsSync(join(folder, "fine")), "what failed holds nothing up");
});

/** Returns paths that lead to the `/proc` files of this process, if the system has them. */
function waysToProcess(name: string): readonly string[] {
  const folder = temporaryDirectory("process");
  symlinkSync(`/proc/self/${name}`, join(folder, name));
  symlinkSync("/proc/self", join(folder, "self"));
  return [
    `/proc/self/${name}`,
    `/proc/${process.pid}/${name}`,
    `/proc/thread-self/${name}`,
    `/proc/self/task/${process.pid}/${name}`,
    `/proc/self/root/proc/self/${name}`,
    `/proc/self/cwd/../../../../../../../../../../proc/self/${name}`,
    `/dev/fd/../${name}`,
    join(folder, name),
    join(folder, "self", name),
  ].filter(existsSync);
}

const processReaders: Readonly<Record<string, (path: string) => Input>> = {
  file: (path) => fileInput({ paths: [path] }),
  csv: (path) => csvInput({ paths: [path], parse_header_row: false }),
  parquet: (path) => parquetInput({ paths: [path] }),
  file_tail: (path) => fileTailInput({ path, poll_interval: 5 }),
  fsevent: (path) => fsEventInput({ paths: [path] }),
};

for (const [name, input] of Object.entries(processReaders)) {
  test(`${name}: environment variables of the process cannot be read via any path`, async () => {
    for (const path of waysToProcess("environ")) {
      const context = endingContext();
      const reading = input(path);
      await reading.start(context.given).catch((error: unknown) => context.reported.lost.push(String(error)));
      await until(() => context.reported.lost.length > 0);
      await reading.close();
      assert.is(context.deliveries.all.length, 0, path);
    }
  });
}

test("file: files of the proc file system are not written", async () => {
  for (const codec of ["lines", "append", "all-bytes"] as const) {
    for (const path of waysToProcess("comm")) {
      const before = readFileSync("/proc/self/comm", "utf8");
      const { status } = await refusal(fileOutput({ path, codec }), "renamed");
      assert.is(status, path.includes("..") ? 422 : 502, path);
      assert.is(readFileSync("/proc/self/comm", "utf8"), before, path);
    }
  }
});

test("file: no folder is created in the proc file system", async () => {
  if (!existsSync("/proc/self")) return;
  const path = "/proc/none/of/these";
  for (const codec of ["lines", "all-bytes"] as const)
    assert.is((await refusal(fileOutput({ path, codec }), "made")).status, 502);
  assert.match(
    await reasonOf(Promise.resolve(fileCache({ directory: path }).start?.(endingContext().given))),
    /EACCES/,
  );
});

test("caches, buffers, databases and certificates cannot be files of the proc file system", async () => {
  for (const path of waysToProcess("environ")) {
    // The cache joins paths, which removes `..` without following symbolic links: pass it the real path.
    const folder = dirname(path.includes("..") ? realpathSync.native(path) : path);
    assert.match(await reasonOf(fileCache({ directory: folder }).get("environ")), /EACCES/);
    assert.match(await reasonOf(openSqlite({ dsn: `file:${path}` })), /EACCES/);
    assert.match(await reasonOf(Promise.resolve().then(() => openBatchFile(path))), /EACCES/);
    assert.throws(() => readAuthorities("root_cas", "", path), /EACCES/);
  }
});

test("stdin: undelivered messages of an input are read by the next one, then it ends", async () => {
  const source = new PassThrough();
  const first = endingContext();
  const input = stdinInput({}, source);
  await input.start(first.given);
  source.write("one\ntw");
  source.write("o\n");
  assert.equal(await confirm(first, 1), ["one"]);
  const pending = await first.deliveries.next();
  const closing = input.close();
  pending.refuse(broken);
  await closing;

  const second = endingContext();
  const next = stdinInput({}, source);
  await next.start(second.given);
  assert.equal(await confirm(second, 1), ["two"]);
  source.end("three");
  assert.equal(await confirm(second, 1), ["three"]);
  await until(() => second.reported.ended);
  await next.close();
});

test("stdin: a terminal keeps the process alive only while it is read", async () => {
  const calls: string[] = [];
  const terminal = Object.assign(new PassThrough(), {
    ref: () => calls.push("ref"),
    unref: () => calls.push("unref"),
  });
  const input = stdinInput({}, terminal);
  await input.start(endingContext().given);
  assert.equal(calls, ["ref"]);
  await input.close();
  assert.equal(calls, ["ref", "unref"]);
});

test("stdin: an input that waits for a line can be closed", async () => {
  const input = stdinInput({ scanner: linesScanner({ omit_empty: true }) }, new PassThrough());
  await input.start(endingContext().given);
  await input.close();
});

/** Returns the messages of a failure and of its cause. */
async function reasonOf(attempt: unknown): Promise<string> {
  const failure = await Promise.resolve(attempt).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof GatewayError)) return String(failure);
  const { cause } = failure;
  return `${failure.message} ${cause instanceof Error && "code" in cause ? String(cause.code) : ""}`;
}

function fail(): never {
  throw new Error("there is a message");
}

test.run();
