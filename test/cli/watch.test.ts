// Changes of files that happen while a compilation reads them, before anything watches them.

import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createRecordingFileSystem, repeatOnChange } from "../../compiler/cli/watch.ts";
import { folderWith } from "./documents.ts";

test("a file that is removed while others are read is a change, and only once", async () => {
  const folder = folderWith({ "api.yaml": "API", "part.yaml": "part" });
  symlinkSync("loop.yaml", join(folder, "loop.yaml"));
  const [api, part] = [join(folder, "api.yaml"), join(folder, "part.yaml")];
  const { fileSystem, paths } = createRecordingFileSystem();
  const textOf = (path: string) => fileSystem.readFile(path, 100).then(String, () => "gone");
  const ending = new AbortController();
  const rounds = [
    async () => {
      assert.equal(await Promise.all([api, part].map(textOf)), ["API", "part"]);
      rmSync(api);
    },
    // The document no longer names the part.
    async () => {
      assert.is(await textOf(api), "gone");
      rmSync(part);
    },
    async () => ending.abort(),
  ];
  await repeatOnChange(
    paths,
    () => rounds.shift()?.() ?? Promise.reject(new Error("one too many")),
    ending.signal,
  );
  assert.equal([...paths.values()], [false, false]);
});

test.run();
