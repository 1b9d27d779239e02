import { globSync, readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, describeClients } from "../../compiler/compile.ts";
import { projectRoot } from "../harness/directories.ts";
import { complaintsOf } from "./official-parser.ts";

process.chdir(projectRoot);
/** The parser takes half a second for a document, so each of these stands for several. */
const documents = globSync(["test/corpus/*/*.{yaml,json}", "examples/*/*.yaml"])
  .sort()
  .filter((_, index) => index % 8 === 0);

test("descriptions generated for the corpus and the examples are valid", async () => {
  const wrong: string[] = [];
  let described = 0;
  for (const path of documents) {
    const { checked } = await checkDocuments([path]);
    for (const { id } of checked?.set.apis ?? []) {
      if (checked === undefined) continue;
      described += 1;
      const view = described % 2 === 0 ? "client" : "gateway";
      const text = JSON.stringify(await describeClients(checked, id, { view, withBrokers: true }));
      wrong.push(...(await complaintsOf(text)).map((complaint) => `${path}: ${complaint}`));
    }
  }
  assert.equal(wrong, []);
  assert.ok(described >= 10, `${described} APIs`);
});

test("the expected descriptions of all cases are valid", async () => {
  const files = globSync("test/asyncapi/documents/*/asyncapi.yaml");
  const wrong: string[] = [];
  for (const file of files) {
    const complaints = await complaintsOf(readFileSync(file, "utf8"));
    wrong.push(...complaints.map((complaint) => `${file}: ${complaint}`));
  }
  assert.equal(wrong, []);
  assert.ok(files.length >= 9, `${files.length} descriptions`);
});

test.run();
