// Files, and paths of files.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  createFile,
  file,
  filepathJoin,
  filepathSplit,
  fileRel,
  fileRelJson,
} from "../../../runtime/mapping/files.ts";
import { textOf } from "../../../runtime/mapping/text.ts";

const test = suite("files");
const folder = mkdtempSync(join(tmpdir(), "sluice-files-"));

test.after(() => rmSync(folder, { recursive: true }));

test("a cached file is read once", () => {
  const path = join(folder, "kept.txt");
  writeFileSync(path, "one");
  const kept = createFile();
  assert.is(textOf(file(kept, path, false)), "one");
  writeFileSync(path, "two");
  assert.is(textOf(file(kept, path, false)), "one");
  assert.is(textOf(file(kept, path, true)), "two");
  assert.is(textOf(file(undefined, path, false)), "two");
});

test("relative paths start at the given folder", () => {
  writeFileSync(join(folder, "data.json"), '{"a":[1.0]}');
  assert.is(textOf(fileRel(undefined, folder, "./data.json", false)), '{"a":[1.0]}');
  assert.is(textOf(fileRelJson(undefined, folder, "data.json")), '{"a":[1.0]}');
  assert.throws(() => file(undefined, join(folder, "none"), false), /none: no such file or directory$/);
});

test("paths join and split as in Go", () => {
  assert.is(filepathJoin(["/foo/", "../bar", "", "baz.txt"], ""), "/bar/baz.txt");
  assert.is(filepathJoin([], ""), "");
  assert.is(filepathJoin(["a/", "b/"], ""), "a/b");
  assert.equal(filepathSplit("/foo/bar.txt", ""), ["/foo/", "bar.txt"]);
  assert.equal(filepathSplit("foo/", ""), ["foo/", ""]);
});

test.run();
