import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { nodeFileSystem } from "../../../compiler/parse/document/file-system.ts";
import { shortenPath, stemOf } from "../../../compiler/parse/document/paths.ts";
import { decodeFile } from "../../../compiler/parse/document/read-file.ts";
import { minimal, read } from "./reading.ts";

test("a byte order mark is ignored", async () => {
  const { problems, apis } = await read({ "orders.yaml": `\ufeff${minimal}` });
  assert.equal(problems, []);
  assert.is(apis[0]?.id, "orders");
});

test("Windows line breaks are accepted", async () => {
  const files = { "a.yaml": `${minimal}x-a: 1\nx-a: 2\n`.replaceAll("\n", "\r\n") };
  assert.match((await read(files)).problems[0] ?? "", /^a\.yaml:6:1-4 GW1012/);
});

test("bytes that are not UTF-8 are reported at their position", async () => {
  const files = { "a.yaml": Buffer.from(`x: ä\ny: caf\xe9 au lait\n`, "latin1") };
  const cut = { "a.yaml": Buffer.concat([Buffer.from("x: ä\ny: ok\n"), Buffer.from([0xf0, 0x9f])]) };
  assert.match((await read(files)).problems[0] ?? "", /^a\.yaml:1:4-5 GW1004 The byte 0xe4/);
  assert.match((await read(cut)).problems[0] ?? "", /^a\.yaml:3:1-2 GW1004 The byte 0xf0/);
});

test("control characters and UTF-16 are reported", async () => {
  assert.match(
    (await read({ "a.yaml": "x: a\u0000b\n" })).problems[0] ?? "",
    /^a\.yaml:1:5-6 GW1005 .*U\+0000/,
  );
  const utf16 = Buffer.from(`\ufeff${minimal}`, "utf16le");
  assert.match((await read({ "a.yaml": utf16 })).problems[0] ?? "", /GW1004/);
  const unmarked = utf16.subarray(2);
  const swapped = Buffer.from(unmarked).swap16();
  for (const bytes of [unmarked, swapped]) {
    const { report, reported } = createSink();
    decodeFile("a.yaml", bytes, report);
    assert.equal(
      reported().map(({ code, hint }) => [code, hint]),
      [["GW1005", "Save the file as UTF-8. It looks like UTF-16."]],
    );
  }
});

test("files that are empty or contain only white space or comments are reported", async () => {
  assert.match((await read({ "a.yaml": "" })).problems[0] ?? "", /^a\.yaml:1:1-1 GW1006/);
  assert.match((await read({ "a.json": " \n\t\n" })).problems[0] ?? "", /^a\.json:1:1-1 GW1006/);
  assert.match((await read({ "a.yaml": "# nothing\n" })).problems[0] ?? "", /GW1054 .*not null/);
});

test("a file above the size limit is rejected before it is parsed", async () => {
  const { problems } = await read({ "a.yaml": "[".repeat(1001) }, undefined, { maximumBytes: 1000 });
  assert.equal(problems, [
    "a.yaml:1:1-1 GW1003 The file `a.yaml` is larger than 1000 bytes. | Split the document, and join the parts with `$ref`.",
  ]);
  const large = await read({ "a.yaml": Buffer.alloc(16 * 1024 * 1024 + 1, 0x20) });
  assert.match(large.problems[0] ?? "", /is larger than 16 MB\./);
});

test("a missing file suggests a similar name", async () => {
  const { problems } = await read({ "apis/orders.yaml": minimal }, ["apis/order.yaml"]);
  assert.equal(problems, [
    "apis/order.yaml:1:1-1 GW1001 The file `apis/order.yaml` does not exist. | Did you mean `apis/orders.yaml`?",
  ]);
  assert.match(
    (await read({ "apis/orders.yaml": minimal }, ["apis"])).problems[0] ?? "",
    /GW1002 `apis` is a folder/,
  );
});

test("files on disk are read only up to the limit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-files-"));
  try {
    writeFileSync(join(folder, "a.yaml"), "0123456789");
    assert.is((await nodeFileSystem.readFile(join(folder, "a.yaml"), 10)).length, 10);
    assert.is((await nodeFileSystem.readFile(join(folder, "a.yaml"), 5)).length, 6);
    assert.equal(await nodeFileSystem.list(folder), [{ name: "a.yaml", kind: "file" }]);
    const { problems } = await read({}, [join(folder, "b.yaml"), folder], { fileSystem: nodeFileSystem });
    assert.match(problems.join("\n"), /b\.yaml:1:1-1 GW1001 .* \| Did you mean `.*\/a\.yaml`/);
    assert.match(problems.join("\n"), /GW1002/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("paths below the working directory are shown relative to it", () => {
  assert.is(shortenPath("/home/a/b.yaml", "/home/a"), "b.yaml");
  assert.is(shortenPath("/home/ab/b.yaml", "/home/a"), "/home/ab/b.yaml");
  assert.is(shortenPath("./x/../b.yaml", "/work"), "b.yaml");
  assert.is(stemOf("apis/orders.v2.yaml"), "orders.v2");
  assert.is(stemOf(".orders"), ".orders");
});

test.run();
