// Every block of every page is checked, run (`commands.long.postgres.test.ts`), or listed with a reason in `exceptions.ts`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { excerpts, expectedMistakes, otherYaml, runElsewhere } from "./exceptions.ts";
import { type Block, pagesWithBlocks } from "./markdown.ts";
import { isExcerpt, mistakesIn } from "./settings.ts";

const pages = pagesWithBlocks();
const blocks = pages.flatMap((page) => page.blocks);
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

/** Languages of blocks that show the output of programs, and of editor settings that these tests cannot run. */
const shown = new Set(["", "text", "lua", "toml", "elisp", "rust"]);

test("code blocks have a language that the tests check", () => {
  const kinds = new Set([...shown, "sh", "console", "yaml", "json", "ts", "js"]);
  const others = blocks.filter(({ language }) => !kinds.has(language));
  assert.equal(
    others.map(({ name, language }) => `${name}: ${language}`),
    [],
  );
});

test("YAML blocks are valid documents, parts of documents or settings", async () => {
  const found: Record<string, string> = {};
  for (const block of of("yaml")) {
    if (block.name in otherYaml || block.name in excerpts) continue;
    const mistakes = await mistakesIn(block);
    if (mistakes.length > 0) found[block.name] = mistakes.join("; ");
  }
  assert.equal(found, expectedMistakes);
});

test("JSON blocks are valid JSON, line by line for logs", () => {
  for (const { text, name } of of("json"))
    assert.not.throws(() => {
      if (text.startsWith('{"level"')) for (const line of text.split("\n")) JSON.parse(line);
      else JSON.parse(text);
    }, name);
});

test("code blocks are valid TypeScript or JavaScript", async () => {
  for (const { text, name, language } of of("ts", "js")) {
    const whole = text.replaceAll("…", "");
    await transform(whole, { loader: language === "ts" ? "ts" : "js" }).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`);
    });
  }
});

test("excerpts match their files", () => {
  for (const [name, file] of Object.entries(excerpts)) {
    const block = blocks.find((each) => each.name === name);
    assert.ok(block, name);
    assert.ok(isExcerpt(block.text, readFileSync(join(projectRoot, file), "utf8")), `${name}: ${file}`);
  }
});

test("blocks listed as run elsewhere or as other YAML exist", () => {
  const names = new Map(blocks.map((block): [string, Block] => [block.name, block]));
  for (const name of Object.keys(runElsewhere)) assert.ok(names.has(name), name);
  for (const name of Object.keys(otherYaml)) assert.is(names.get(name)?.language, "yaml", name);
  for (const [name, file] of Object.entries(runElsewhere))
    assert.ok(existsSync(join(projectRoot, file)), `${name}: ${file}`);
});

test.run();
