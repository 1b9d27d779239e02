import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const page = readFileSync(join(projectRoot, "compiler/diagnostics/docs/GW4010.md"), "utf8");

test("explain prints the page of a code, also in lower case", async () => {
  assert.equal(await warmSluice(["explain", "GW4010"]), { status: 0, stdout: page, stderr: "" });
  assert.equal(await warmSluice(["explain", "gw4010"]), { status: 0, stdout: page, stderr: "" });
});

test("explain suggests the nearest code for an unknown one", async () => {
  const { status, stdout, stderr } = await warmSluice(["explain", "GW401"]);
  assert.equal([status, stdout], [64, ""]);
  assert.match(stderr, /^sluice: unknown diagnostic GW401\. Did you mean GW4\d{3}\?\n$/);
  const far = await warmSluice(["explain", "everything"]);
  assert.equal(far, { status: 64, stdout: "", stderr: "sluice: unknown diagnostic everything.\n" });
});

test("schema prints a JSON Schema 2020-12 that accepts documents and rejects mistakes", async () => {
  const { status, stdout, stderr } = await warmSluice(["schema"]);
  assert.equal([status, stderr], [0, ""]);
  const schema = JSON.parse(stdout);
  assert.is(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  const validate = ajv.compile(schema);
  const document = (input: object) => ({
    openapi: "3.1.1",
    info: { title: "Relay", version: "1" },
    paths: {},
    "x-gw-streaming": { streams: { relay: { input, output: { http_server: { path: "/out" } } } } },
  });
  assert.ok(validate(document({ http_server: { path: "/in" } })), JSON.stringify(validate.errors));
  assert.not(validate(document({ http_server: { pth: "/in" } })));
});

test("a closed standard output is no error", async () => {
  const child = spawn(process.execPath, [join(projectRoot, "bin/sluice.js"), "schema"]);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stdout.destroy();
  const [status] = await once(child, "close");
  assert.equal([status, said], [0, ""]);
});

test.run();
