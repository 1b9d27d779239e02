import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fileTailInput } from "../../../runtime/connectors/file-tail/input.ts";
import { fsEventInput } from "../../../runtime/connectors/fsevent/input.ts";
import { parquetInput } from "../../../runtime/connectors/parquet/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("files that grow, files of rows, and changes of files");

/** Follows a file that contains `text`. */
async function follow(text: string, options: Partial<Parameters<typeof fileTailInput>[0]> = {}) {
  const path = join(temporaryDirectory("tail"), "orders.log");
  writeFileSync(path, text);
  const input = fileTailInput({ path, poll_interval: 5, ...options });
  const context = inputContext();
  await input.start(context);
  const next = async () => {
    const { batch, text: line, confirm } = await context.deliveries.next();
    confirm();
    return `${batch[0]?.metadata.get("file_tail_position")} ${line}`;
  };
  return { path, input, context, next };
}

test("lines are read as they are written, and partial lines once they end", async () => {
  const { path, input, context, next } = await follow("a\r\n\nbc\nd");
  assert.equal([await next(), await next()], ["3 a", "7 bc"]);
  appendFileSync(path, "e\nf\n");
  assert.equal([await next(), await next()], ["10 de", "12 f"]);
  await input.close();
  assert.is(context.deliveries.all.length, 4);
});

test("a file that replaces another is read after the remaining lines of the other", async () => {
  const { path, input, next } = await follow("a\n");
  assert.is(await next(), "2 a");
  renameSync(path, `${path}.1`);
  appendFileSync(`${path}.1`, "b\nrest");
  writeFileSync(`${path}.new`, "c\n");
  renameSync(`${path}.new`, path);
  assert.equal([await next(), await next(), await next()], ["4 b", "8 rest", "2 c"]);
  await input.close();
});

test("a truncated file is read from its start", async () => {
  const { path, input, context, next } = await follow("long line\nunfinished");
  assert.is(await next(), "10 long line");
  truncateSync(path, 0);
  await until(() => context.lines.some(({ message }) => message === "the file is cut off"));
  appendFileSync(path, "b\n");
  assert.is(await next(), "2 b");
  await input.close();
});

test("reading starts at the end if configured", async () => {
  const { path, input, next } = await follow("old\n", { start_position: "end" });
  appendFileSync(path, "new\n");
  assert.is(await next(), "8 new");
  await input.close();
});

test("no more lines are in flight than configured, and a line that is too long is skipped", async () => {
  const long = "x".repeat(100_000);
  const { input, context } = await follow(`a\nb\n${long}\nc\n`, { line_buffer: 2, max_line_bytes: 70_000 });
  const first = await context.deliveries.next();
  const second = await context.deliveries.next();
  assert.is(context.deliveries.all.length, 2);
  first.confirm();
  const third = await context.deliveries.next();
  assert.equal([first.text, second.text, third.text], ["a", "b", "c"]);
  second.confirm();
  third.confirm();
  assert.ok(context.lines.some(({ message }) => /too long/.test(message)));
  await input.close();
});

test("a missing file fails the start", async () => {
  const input = fileTailInput({ path: join(temporaryDirectory("tail"), "none.log") });
  const failure = await input.start(inputContext()).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  await input.close();
});

test("rows of Parquet files are messages, with all digits of their numbers", async () => {
  const folder = temporaryDirectory("parquet");
  const write = (name: string, ...ids: bigint[]) => {
    const columnData = [{ name: "id", data: ids, type: "INT64" as const }];
    writeFileSync(join(folder, name), new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 2 })));
  };
  write("a.parquet", 9007199254740993n, 2n, 3n);
  write("b.parquet", 4n);
  const input = parquetInput({ paths: [join(folder, "*.parquet")], batch_count: 2 });
  const context = inputContext();
  await input.start(context);
  const batches: string[][] = [];
  for (let count = 0; count < 3; count += 1) {
    const { batch, confirm } = await context.deliveries.next();
    batches.push(batch.map((message) => Buffer.from(message.bytes()).toString()));
    confirm();
  }
  assert.equal(batches, [['{"id":9007199254740993}', '{"id":2}'], ['{"id":3}'], ['{"id":4}']]);
  await input.close();
});

test("a file that is not Parquet ends the input, and the reason is logged", async () => {
  const path = join(temporaryDirectory("parquet"), "a.parquet");
  writeFileSync(path, "PAR1 but nothing else");
  const input = parquetInput({ paths: [path] });
  const context = inputContext();
  await input.start(context);
  await until(() => context.lines.some(({ level }) => level === "error"));
  await input.close();
});

/** Watches a new folder, which `fill` fills before. */
async function watchFolder(
  options: Partial<Parameters<typeof fsEventInput>[0]> = {},
  fill: (folder: string) => void = () => undefined,
) {
  const folder = temporaryDirectory("watched");
  fill(folder);
  const input = fsEventInput({ paths: [folder], ...options });
  const context = inputContext();
  let hasEnded = false;
  const reportEnd = () => {
    hasEnded = true;
  };
  await input.start({ ...context, reportEnd });
  const next = async () => {
    const { batch, confirm } = await context.deliveries.next();
    confirm();
    const { fsevent_operation: operation, fsevent_path: path } = Object.fromEntries(batch[0]?.metadata ?? []);
    return `${operation} ${String(path).slice(folder.length)}`;
  };
  /** Skips the reports of writes, of which the system makes any number, and returns the next ones. */
  const others = async (count: number) => {
    const found: string[] = [];
    while (found.length < count) {
      const change = await next();
      if (!change.startsWith("WRITE")) found.push(change);
    }
    return found;
  };
  return { folder, input, context, next, others, hasEnded: () => hasEnded };
}

test("each change of a folder is a message without content, whose metadata says what happened", async () => {
  const { folder, input, context, next, others } = await watchFolder();
  const path = join(folder, "a.txt");
  writeFileSync(path, "");
  const { batch, text, confirm } = await context.deliveries.next();
  confirm();
  const {
    fsevent_mod_time: time,
    fsevent_mod_time_unix: seconds,
    ...rest
  } = Object.fromEntries(batch[0]?.metadata ?? []);
  assert.equal(
    [text, rest],
    ["", { fsevent_path: path, fsevent_operation: "CREATE", fsevent_is_dir: false }],
  );
  assert.is(Date.parse(String(time)), Number(seconds) * 1000);
  appendFileSync(path, "more");
  assert.is(await next(), "WRITE /a.txt");
  chmodSync(path, 0o600);
  assert.equal(await others(1), ["CHMOD /a.txt"]);
  renameSync(path, join(folder, "b.txt"));
  assert.equal(await others(2), ["RENAME /a.txt", "CREATE /b.txt"]);
  unlinkSync(join(folder, "b.txt"));
  mkdirSync(join(folder, "sub"));
  assert.equal(await others(2), ["REMOVE /b.txt", "CREATE /sub"]);
  writeFileSync(join(folder, "sub", "unseen"), "");
  writeFileSync(join(folder, "c"), "");
  assert.equal(await others(1), ["CREATE /c"]);
  await input.close();
});

test("folders below are watched if configured, and changes are reported by extension", async () => {
  const { folder, input, others } = await watchFolder(
    { is_recursive: true, watch_new_subdirs: true, extensions: ["txt", ".log"] },
    (at) => mkdirSync(join(at, "old", "deep"), { recursive: true }),
  );
  writeFileSync(join(folder, "old", "deep", "a.csv"), "");
  writeFileSync(join(folder, "old", "deep", "b.log"), "");
  assert.equal(await others(1), ["CREATE /old/deep/b.log"]);
  mkdirSync(join(folder, "new", "deep"), { recursive: true });
  writeFileSync(join(folder, "new", "deep", "c.txt"), "");
  assert.equal(await others(1), ["CREATE /new/deep/c.txt"], "also what was there before the watch");
  renameSync(join(folder, "new"), join(folder, "moved"));
  assert.equal(await others(1), ["CREATE /moved/deep/c.txt"]);
  unlinkSync(join(folder, "moved", "deep", "c.txt"));
  assert.equal(await others(1), ["REMOVE /moved/deep/c.txt"]);
  await input.close();
});

test("the input ends when nothing is left to watch", async () => {
  const { folder, input, others, hasEnded } = await watchFolder({}, (at) => writeFileSync(join(at, "a"), ""));
  rmSync(folder, { recursive: true });
  assert.equal(await others(2), ["REMOVE /a", "REMOVE "]);
  await until(hasEnded);
  await input.close();
});

test("a missing path fails the start, a change is delivered again, and no watch outlives the input", async () => {
  const watches = () => process.getActiveResourcesInfo().filter((name) => name.includes("FSEvent")).length;
  const before = watches();
  const folder = temporaryDirectory("watched");
  const failing = fsEventInput({ paths: [folder, join(folder, "none")] });
  const failure = await failing.start(inputContext()).catch((error: unknown) => error);
  assert.match(String(failure), /none cannot be watched \(no such file or directory\)/);
  await failing.close();

  const watched = await watchFolder();
  assert.ok(watches() > 0);
  writeFileSync(join(watched.folder, "a"), "");
  const first = await watched.context.deliveries.next();
  first.refuse(new GatewayError(502, "no broker"));
  assert.equal(await watched.others(1), ["CREATE /a"]);
  await watched.input.close();
  await until(() => watches() <= before);
});

test.run();
