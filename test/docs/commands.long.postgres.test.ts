// Every command of every page is run, or listed with a reason in `exceptions.ts`.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { runElsewhere, standIns } from "./exceptions.ts";
import { pagesWithBlocks } from "./markdown.ts";
import { askedOfStandIns, closeServices, newSandbox, runScript } from "./shell.ts";

const pages = pagesWithBlocks();

test("the commands of each page succeed in order", async () => {
  const failed: string[] = [];
  for (const page of pages) {
    const scripts = page.blocks.filter(({ language, name }) => language === "sh" && !(name in runElsewhere));
    if (scripts.length === 0) continue;
    const folder = await newSandbox(page.path);
    for (const { name, text } of scripts) {
      const { status, stdout, stderr } = await runScript(text, folder);
      if (status !== 0) failed.push(`${name}: ${stdout}${stderr}`);
    }
  }
  assert.equal(failed, []);
});

test("commands at a prompt print the output shown below them", async () => {
  const shown = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "console"));
  for (const { name, text } of shown) {
    if (name in runElsewhere) continue;
    const [command = "", ...printed] = text.split("\n");
    const { stdout, stderr } = await runScript(command.slice(2), await newSandbox(name));
    assert.is((stdout + stderr).trimEnd(), printed.join("\n"), name);
  }
});

test("commands that were not run are printed with the reason", () => {
  const lines = askedOfStandIns();
  const idle = Object.keys(standIns).filter((name) => !lines.some((line) => line.startsWith(`${name} `)));
  assert.equal(idle, [], "programs that no page calls");
  for (const [name, reason] of Object.entries(standIns)) {
    console.log(`${name}: ${reason}`);
    for (const line of lines.filter((each) => each.startsWith(`${name} `))) console.log(`  ${line}`);
  }
});

test.after(closeServices);

test.run();
