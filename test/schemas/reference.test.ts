import { readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { referenceNames } from "../../schemas/reference-names.ts";
import { knownNames, refusalOf } from "../../schemas/unsupported.ts";
import { codesPath, commandsPath, generateCodes, generateCommands } from "../../scripts/generate-commands.ts";
import { compatibilityPath, generateCompatibility } from "../../scripts/generate-compatibility.ts";
import { generateReference, referencePath } from "../../scripts/generate-reference.ts";
import { scalingPath, withInputTable } from "../../scripts/generate-scaling.ts";
import { generateSettings, settingsPath } from "../../scripts/generate-settings.ts";

test("the reference page matches the schemas", () => {
  const page = readFileSync(new URL(`../../${referencePath}`, import.meta.url), "utf8");
  assert.fixture(page, generateReference(), `${referencePath}: run scripts/generate-reference.ts`);
});

test("the table of inputs on the scaling page matches the descriptors", () => {
  const page = readFileSync(new URL(`../../${scalingPath}`, import.meta.url), "utf8");
  assert.fixture(page, withInputTable(page), `${scalingPath}: run scripts/generate-reference.ts`);
  assert.match(page, "| `kafka` | by the broker, with a consumer group |");
});

test("the compatibility page and its figures match the schemas", () => {
  const page = readFileSync(new URL(`../../${compatibilityPath}`, import.meta.url), "utf8");
  assert.fixture(page, generateCompatibility(), `${compatibilityPath}: run scripts/generate-reference.ts`);
});

test("the settings page matches the schemas", () => {
  const page = readFileSync(new URL(`../../${settingsPath}`, import.meta.url), "utf8");
  assert.fixture(page, generateSettings(), `${settingsPath}: run scripts/generate-reference.ts`);
});

test("the pages of commands and codes match their definitions", () => {
  for (const [path, text] of [
    [commandsPath, generateCommands()],
    [codesPath, generateCodes()],
  ] as const)
    assert.fixture(
      readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"),
      text,
      `${path}: run scripts/generate-reference.ts`,
    );
});

test("every unsupported component has a reason and an alternative", () => {
  for (const kind of Object.keys(referenceNames) as (keyof typeof referenceNames)[]) {
    for (const name of knownNames(kind)) {
      const { why, instead } = refusalOf(name);
      assert.match(why, /^[a-z]/);
      assert.match(instead, /^[A-Z].*\.$/);
    }
  }
});

test.run();
