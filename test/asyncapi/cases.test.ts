import * as assert from "uvu/assert";
import { stringify } from "yaml";
import type { DescribeOptions } from "../../compiler/asyncapi/describe-api.ts";
import { checkDocuments, describeClients } from "../../compiler/compile.ts";
import { cases } from "../harness/cases.ts";
import { complaintsOf } from "./official-parser.ts";

/** The cases that have most of what there is. The parser takes a second for each; the long run has it judge them all. */
const judged = ["gateway-with-brokers", "protected-orders"];

cases("test/asyncapi/documents", async ({ name, files, path, read, expectFile }) => {
  const { checked, diagnostics } = await checkDocuments([path("document.yaml")]);
  const api = checked?.set.apis[0];
  if (checked === undefined || api === undefined) throw new Error(JSON.stringify(diagnostics, undefined, 2));
  const options: DescribeOptions = files.includes("options.json") ? JSON.parse(read("options.json")) : {};
  const text = stringify(await describeClients(checked, api.id, options), { aliasDuplicateObjects: false });
  expectFile("asyncapi.yaml", text);
  if (judged.includes(name)) assert.equal(await complaintsOf(text), []);
});
