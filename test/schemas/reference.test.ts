import { readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { generateReference, referencePath } from "../../scripts/generate-reference.ts";

test("the reference page is what the schemas say", () => {
  const page = readFileSync(new URL(`../../${referencePath}`, import.meta.url), "utf8");
  assert.fixture(page, generateReference(), `${referencePath}: run scripts/generate-reference.ts`);
});

test.run();
