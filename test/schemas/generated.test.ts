import { readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { generateOptions } from "../../scripts/generate-options.ts";

const root = new URL("../../", import.meta.url);

test("the runtime's option types match the schemas", async () => {
  for (const { path, text } of await generateOptions()) {
    assert.fixture(
      readFileSync(new URL(path, root), "utf8"),
      text,
      `${path}: run scripts/generate-options.ts`,
    );
  }
});

test.run();
