import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { cacheContract, outputContract } from "../../../component/contract.ts";
import { cacheOutput } from "../../../runtime/connectors/cache/output.ts";
import { csvInput } from "../../../runtime/connectors/csv/input.ts";
import { stdoutOutput } from "../../../runtime/connectors/stdout/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { fileCache } from "../../../runtime/resources/file-cache.ts";
import { memoryCache, ristrettoCache } from "../../../runtime/resources/memory-cache.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const received = (target: PassThrough) => {
  const chunks: Buffer[] = [];
  target.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
};

for (const each of outputContract(async () => {
  const target = new PassThrough();
  const text = received(target);
  return {
    create: () => stdoutOutput({}, target),
    received: (count) =>
      until(() => {
        const lines = text().split("\n").slice(0, -1);
        return lines.length >= count && lines;
      }),
  };
}))
  test(`stdout: ${each.name}`, each.run);

for (const each of cacheContract(() =>
  fileCache({ directory: join(temporaryDirectory("cache"), "deep", "er") }),
))
  test(`file: ${each.name}`, each.run);
for (const each of cacheContract(() => ristrettoCache({}))) test(`ristretto: ${each.name}`, each.run);

test("standard output writes messages by codec, and rejects them once it is closed", async () => {
  for (const [codec, expected] of [
    ["lines", "a\nb\n"],
    ["append", "ab"],
    ["all-bytes", "ab"],
    ["delim:--", "a--b--"],
  ] as const) {
    const target = new PassThrough();
    const text = received(target);
    const output = stdoutOutput({ codec }, target);
    await output.write(batchOf("a", "b"));
    await until(() => text() === expected);
    await output.close();
  }
  const gone = new PassThrough();
  gone.on("error", () => undefined);
  gone.destroy();
  const refused = await stdoutOutput({}, gone)
    .write(batchOf("a"))
    .catch((error: unknown) => error);
  assert.is(refused instanceof GatewayError && refused.status, 502);
});

test("messages are written to a cache under their keys, with their time to live", async () => {
  const target = memoryCache({});
  const times: (number | undefined)[] = [];
  const recording = {
    ...target,
    set: (key: string, value: Uint8Array, ttl?: number) => {
      times.push(ttl);
      return target.set(key, value, ttl);
    },
  };
  const output = cacheOutput({
    target: recording,
    key: (batch, index) => `k:${textOfBatch([batch[index]] as unknown as Batch)}`,
    ttl: "60s",
  });
  await output.start(componentContext());
  await output.write(batchOf("a", "b"));
  assert.is(Buffer.from(target.get("k:a") ?? []).toString(), "a");
  assert.equal(times, [60_000, 60_000]);
  const wrong = cacheOutput({ target, key: "a", ttl: () => "soon" });
  const refused = await wrong.write(batchOf("x")).catch((error: unknown) => error);
  assert.is(refused instanceof GatewayError && refused.status, 422);
  await output.close();
});

test("keys of a file cache cannot leave its folder or collide with another key", async () => {
  const parent = temporaryDirectory("cache");
  writeFileSync(join(parent, "outside"), "kept");
  const cache = fileCache({ directory: join(parent, "inside") });
  await cache.start?.(componentContext());
  const keys = [
    "../outside",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b",
    "a%2Fb",
    ".draft-1",
    "é",
    "a".repeat(500),
    "a".repeat(501),
    "\0",
    "A",
    "\ud800",
    "\udc00",
  ];
  for (const [index, key] of keys.entries()) await cache.set(key, Buffer.from(String(index)));
  for (const [index, key] of keys.entries()) {
    assert.is(Buffer.from((await cache.get(key)) ?? []).toString(), String(index), key);
  }
  for (const key of keys) await cache.delete(key);
  assert.is(await cache.get("../outside"), undefined);
  const { readFileSync } = await import("node:fs");
  assert.is(readFileSync(join(parent, "outside"), "utf8"), "kept");
});

async function recordsOf(
  text: string,
  options: Partial<Parameters<typeof csvInput>[0]> = {},
): Promise<readonly string[]> {
  const folder = temporaryDirectory("csv");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.csv"), text);
  const seen: string[] = [];
  const over = Promise.withResolvers<void>();
  const context = {
    ...inputContext(),
    deliver: async (batch: Batch) => {
      const header = batch[0]?.metadata.get("header");
      seen.push(textOfBatch(batch) + (header === undefined ? "" : ` of ${header}`));
      return {};
    },
    reportEnd: () => over.resolve(),
    beginOutage: (reason: string) => {
      seen.push(reason);
      over.resolve();
      return () => undefined;
    },
  };
  const input = csvInput({ paths: [join(folder, "*.csv")], ...options });
  await input.start(context);
  await over.promise;
  await input.close();
  return seen;
}

test("CSV records become objects by the header row, or arrays", async () => {
  const text = 'id,text\r\n1,"a ""quoted"", b"\r\n2,"two\nlines"\n\n3,__proto__\n';
  assert.equal(await recordsOf(text), [
    '{"id":"1","text":"a \\"quoted\\", b"} of id,text',
    '{"id":"2","text":"two\\nlines"} of id,text',
    '{"id":"3","text":"__proto__"} of id,text',
  ]);
  assert.equal(await recordsOf("1;a\n2;b", { parse_header_row: false, delimiter: ";", batch_count: 2 }), [
    '["1","a"] ["2","b"]',
  ]);
  assert.equal(await recordsOf('a,b\n"x" y\nz",2\n3,"open\n', { lazy_quotes: true }), [
    '{"a":"x\\" y\\nz","b":"2"} of a,b',
    '{"a":"3","b":"open\\n"} of a,b',
  ]);
});

test("records that are not as expected are skipped, and the file is read to its end", async () => {
  assert.equal(await recordsOf('a"x\na,b\n1,2\n"3"x,4\n5,6\n'), [
    '{"a":"1","b":"2"} of a,b',
    '{"a":"5","b":"6"} of a,b',
  ]);
  assert.equal(await recordsOf('a,b\n"" x,"1\n3,"4"y,"5\nx"y,"\n5,"6"\n'), [
    '{"a":"3"} of a,b',
    '{"a":"5","b":"6"} of a,b',
  ]);
  assert.equal(await recordsOf("a,b\n1\n1,2,3\n1,2\n"), [
    '{"a":"1"} of a,b',
    '["1","2","3"]',
    '{"a":"1","b":"2"} of a,b',
  ]);
  assert.equal(await recordsOf("x,y\na,b\n1,2\n", { expected_headers: ["a", "b"] }), [
    '{"a":"1","b":"2"} of a,b',
  ]);
  assert.equal(await recordsOf("a,b\n1,2\n", { expected_headers: ["a"] }), []);
  assert.equal(await recordsOf("x\na,b\n1,2\n3\n4,5\n", { expected_number_of_fields: 2 }), [
    '{"a":"1","b":"2"} of a,b',
    '{"a":"4","b":"5"} of a,b',
  ]);
});

test.run();
