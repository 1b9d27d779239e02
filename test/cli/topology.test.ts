import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const chat = join(projectRoot, "examples/chat/chat.yaml");

test("streams are printed as lists of components and their destinations", async () => {
  const { status, stdout } = await warmSluice(["topology", chat]);
  assert.is(status, 0);
  assert.match(stdout, /^producer\n {2}input http_server.*\n {4}→ /);
  assert.match(stdout, /\nconsumer\n/);
  const only = await warmSluice(["topology", chat, "--stream", "consumer", "--format", "json"]);
  assert.equal(
    JSON.parse(only.stdout).map(({ stream }: { stream: string }) => stream),
    ["consumer"],
  );
});

test("the SVG shows one stream", async () => {
  const { status, stdout } = await warmSluice(["topology", chat, "--stream", "consumer", "--format", "svg"]);
  assert.is(status, 0);
  assert.match(stdout, /^<svg .*<\/svg>\n$/s);
  const several = await warmSluice(["topology", chat, "--format", "svg"]);
  assert.is(several.status, 64);
  assert.match(several.stderr, "choose it with --stream: producer, consumer");
  const unknown = await warmSluice(["topology", chat, "--stream", "consumers"]);
  assert.equal([unknown.status, unknown.stdout], [64, ""]);
  assert.match(unknown.stderr, "unknown stream 'consumers'");
});

test("a document with errors is not drawn, and the command fails", async () => {
  const folder = temporaryDirectory("topology");
  const path = join(folder, "stream.yaml");
  writeFileSync(
    path,
    'input: { generate: { mapping: "root = this.x.uper()", count: 1 } }\noutput: { drop: {} }\n',
  );
  const { status, stdout, stderr } = await warmSluice(["topology", path]);
  assert.equal([status, stdout], [1, ""]);
  assert.match(stderr, "uper");
});

test.run();
