import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fileTailInput } from "../../../runtime/connectors/file-tail/input.ts";
import { parquetInput } from "../../../runtime/connectors/parquet/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("files that grow, and files of rows");

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

test.run();
