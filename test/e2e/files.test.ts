import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const folder = temporaryDirectory("files");
const document = `
openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    typed:
      input: { stdin: {} }
      output: { file: { path: "\${OUT}/\${! this.kind }.txt", codec: "delim:|" } }
    kept:
      input: { file: { paths: ["\${IN}"], delete_on_finish: true } }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.from = @path
              root.age = @mod_time_unix > 0
      output: { file: { path: "\${OUT}/kept.jsonl" } }
`;

test("a gateway reads standard input and files and writes files, where its settings allow it", async () => {
  const [set, input] = [join(folder, "gateway.yaml"), join(folder, "in.jsonl")];
  writeFileSync(join(folder, "orders.yaml"), document);
  writeFileSync(input, '{"id":1}\n{"id":2}\n');
  const settings = "apis: [orders.yaml]\nstreaming: { enabled: true }\n";
  const build = () => warmSluice(["build", set, "-o", join(folder, "out")], { cwd: projectRoot });
  writeFileSync(set, settings);
  const refused = await build();
  assert.is(refused.status, 1);
  assert.is(
    refused.stdout.concat(refused.stderr).match(/GW4087/g)?.length,
    8,
    "each is said, and where it is explained",
  );
  writeFileSync(set, `${settings}allow_unsafe: [file, stdin]\n`);
  assert.is((await build()).status, 0);

  const gateway = start(process.execPath, [join(folder, "out/gateway.mjs")], {
    input: '{"kind":"a","n":1}\n{"kind":"b"}\n{"kind":"a","n":2}\n',
    env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", OUT: join(folder, "made"), IN: input },
  });
  await until(() => gateway.output().match(/"msg":"stream finished"/g)?.length === 2);
  const read = (name: string) => readFileSync(join(folder, "made", name), "utf8");
  assert.is(read("a.txt"), '{"kind":"a","n":1}|{"kind":"a","n":2}|');
  assert.is(read("b.txt"), '{"kind":"b"}|');
  const lines = read("kept.jsonl").trimEnd().split("\n");
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    [1, 2].map((id) => ({ id, from: input, age: true })),
  );
  assert.not(existsSync(input));
  assert.is(await gateway.stop(), 0);
});

test.run();
