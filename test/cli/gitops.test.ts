// Applies a folder of definitions to a management service that runs for this test only.

import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { answering, apiOf } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice, warmSluice } from "../harness/sluice.ts";

const key = "key-of-this-test";
const program = startSluice(["serve"], {
  cwd: temporaryDirectory("management"),
  env: {
    GW_MANAGEMENT_API_KEYS: `${key},others:${key}-of-others`,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
  },
});
const [, server = ""] = await program.matching(/"management":"(http[^"]+)"/);

const folder = temporaryDirectory("apis");
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const env = { GW_MANAGEMENT_TOKEN: key, GW_MANAGEMENT_URL: server };
const asked = (command: string, ...more: readonly string[]) =>
  warmSluice([command, "-f", folder, ...more], { env });

const typed = (processors: string) =>
  apiOf(
    `intake:
  input: { http_server: { path: /new }, schema: { type: object, properties: { sku: { type: string } }, required: [sku] } }
  pipeline: { processors: [${processors}] }
  output: { drop: {} }
`,
    { id: "stock" },
  );

test("plan lists what apply then does, once: APIs, streams and the types of their messages", async () => {
  write("orders.yaml", apiOf(answering("one"), { id: "orders" }));
  mkdirSync(join(folder, "more"));
  write("more/stock.yaml", typed('{ mapping: "root.id = this.sku" }'));
  write("gateway.yaml", "apis: [orders.yaml]\n");
  write("broken.json", "{");

  const first = await asked("plan");
  assert.is(first.status, 2, first.stderr);
  assert.match(first.stdout, "+ stock (more/stock.yaml)");
  assert.match(first.stdout, "+ stream intake");
  assert.match(first.stdout, "        + input: { sku: string, … }");
  assert.match(first.stdout, "2 to create, 0 to update, 0 to delete, 0 unchanged");
  assert.is((await asked("plan")).stdout, first.stdout, "planning changes nothing");

  const applied = await asked("apply");
  assert.is(applied.status, 0, applied.stderr);
  assert.match(applied.stderr, "orders: created");
  const again = await asked("apply");
  assert.equal([again.status, again.stderr], [0, ""]);
  assert.equal((await asked("plan")).status, 0);
});

test("an update lists the streams and parts that change, and leaves other APIs unchanged", async () => {
  write("more/stock.yaml", typed('{ mapping: "root.id = this.sku.length()" }'));
  const planned = await asked("plan", "--json");
  assert.is(planned.status, 2, planned.stderr);
  const { changes, unchanged } = JSON.parse(planned.stdout);
  assert.equal(unchanged, ["orders"]);
  assert.is(changes.length, 1);
  const [{ api, action, path, streams }] = changes;
  assert.equal([api, action, path], ["stock", "update", "more/stock.yaml"]);
  assert.equal(
    streams.map(({ stream, action, parts }: { stream: string; action: string; parts: string[] }) => [
      stream,
      action,
      parts,
    ]),
    [["intake", "update", ["pipeline", "messages"]]],
  );
  assert.is(streams[0].before.output, "{ id: string }");
  assert.is(streams[0].after.output, "{ id: integer }");
  assert.is((await asked("apply")).status, 0);
  // A comment changes the text, but not the stream.
  write("more/stock.yaml", `# stock\n${typed('{ mapping: "root.id = this.sku.length()" }')}`);
  assert.match((await asked("plan")).stdout, "no stream changes");
  assert.is((await asked("apply")).status, 0);
});

test("an exported definition stays a definition, also one of a single line", async () => {
  const single = temporaryDirectory("single-line");
  const folderOf = (command: string, ...more: readonly string[]) =>
    warmSluice([command, "-f", single, ...more], {
      env: { ...env, GW_MANAGEMENT_TOKEN: `${key}-of-others` },
    });
  const api = parse(apiOf(answering("one"), { id: "single" }));
  writeFileSync(join(single, "single.json"), JSON.stringify(api));
  assert.match((await folderOf("plan")).stdout, "1 to create");
  assert.is((await folderOf("apply")).status, 0);
  rmSync(join(single, "single.json"));
  assert.is((await folderOf("export")).status, 0);
  assert.match((await folderOf("plan", "--prune")).stdout, "0 to delete, 1 unchanged");
  rmSync(join(single, "single.json"));
  assert.is((await folderOf("apply", "--prune")).status, 0);
});

test("APIs missing in the folder are kept, and deleted with --prune", async () => {
  rmSync(join(folder, "orders.yaml"));
  const kept = await asked("plan");
  assert.is(kept.status, 0);
  assert.match(kept.stdout, "orders is not in the folder; --prune deletes it");
  const pruned = await asked("plan", "--prune");
  assert.is(pruned.status, 2);
  assert.match(pruned.stdout, "- orders");
  assert.is((await asked("apply", "--prune")).status, 0);
  assert.is((await asked("plan", "--prune")).status, 0);
});

test("an exported folder equals what was applied, and plans no change", async () => {
  const copy = join(temporaryDirectory("export"), "apis");
  const exported = await warmSluice(["export", "-f", copy], { env });
  assert.is(exported.status, 0, exported.stderr);
  assert.is(
    readFileSync(join(copy, "stock.yaml"), "utf8"),
    readFileSync(join(folder, "more/stock.yaml"), "utf8"),
  );
  assert.is((await warmSluice(["plan", "-f", copy, "--prune"], { env })).status, 0);
});

test("a path that another organisation has is reported with the file that asks for it", async () => {
  const other = temporaryDirectory("others");
  writeFileSync(join(other, "same-path.yaml"), typed("").replace("id: stock", "id: other-stock"));
  const { status, stderr } = await warmSluice(["apply", "-f", other], {
    env: { ...env, GW_MANAGEMENT_TOKEN: `${key}-of-others` },
  });
  assert.equal([status, stderr], [1, "sluice: same-path.yaml: Found API with same url.\n"]);
});

test("a file that cannot be sent as it is names itself, and links to folders are skipped", async () => {
  const odd = temporaryDirectory("odd");
  mkdirSync(join(odd, "real"));
  symlinkSync("real", join(odd, "linked.yaml"));
  writeFileSync(join(odd, "large.json"), "");
  truncateSync(join(odd, "large.json"), 3 * 2 ** 30);
  writeFileSync(
    join(odd, "latin.yaml"),
    Buffer.from(apiOf(answering("gr\u00fcn"), { id: "latin" }), "latin1"),
  );
  writeFileSync(
    join(odd, "wide.yaml"),
    Buffer.from(`\ufeff${apiOf(answering("x"), { id: "wide" })}`, "utf16le"),
  );
  const { status, stderr } = await warmSluice(["apply", "-f", odd], { env });
  assert.is(status, 1);
  assert.equal(stderr.trimEnd().split("\n"), [
    "sluice: large.json: larger than 16 MB",
    "sluice: latin.yaml: not UTF-8: save the file as UTF-8",
    "sluice: wide.yaml: not UTF-8: save the file as UTF-8",
  ]);
});

test("errors are reported in one line each with exit code 1, and nothing is applied", async () => {
  write("bad.yaml", apiOf(answering("x").replace("sync_response", "sink_response"), { id: "bad" }));
  write("twin.yaml", typed(""));
  for (const command of ["plan", "apply"]) {
    const { status, stderr } = await asked(command);
    assert.is(status, 1);
    assert.match(stderr, /^sluice: bad\.yaml: \d+:\d+ GW\d+: Unknown output `sink_response`\./m);
    assert.match(stderr, "sluice: twin.yaml: more/stock.yaml has the id stock, too");
  }
  const wrong = await warmSluice(["plan", "-f", folder], {
    env: { ...env, GW_MANAGEMENT_TOKEN: "another-key-of-nobody" },
  });
  assert.is(wrong.status, 1);
  assert.match(wrong.stderr, / rejects this key: set GW_MANAGEMENT_TOKEN to a key of the service\n$/);
  assert.not.match(wrong.stderr, "another-key-of-nobody");
  const away = await warmSluice(["plan", "-f", folder, "--server", "http://127.0.0.1:9"], { env });
  assert.is(away.status, 1);
  assert.match(away.stderr, /is unreachable/);
  const without = await warmSluice(["plan", "-f", folder], { env: { ...env, GW_MANAGEMENT_TOKEN: "" } });
  assert.match(without.stderr, "GW_MANAGEMENT_TOKEN is not set");
  assert.is(await program.stop(), 0);
});

test("a missing folder and an invalid service address are reported in one line each", async () => {
  const nowhere = join(folder, "nowhere");
  const outcome = await warmSluice(["apply", "-f", nowhere], { env });
  assert.equal(outcome, {
    status: 1,
    stdout: "",
    stderr: `sluice: \`${nowhere}\`: no such file or directory\n`,
  });
  const line =
    "expected the address of a management service, such as https://manage.example.com, without credentials";
  for (const server of ["manage", "ftp://manage.example.com", "http://shop:wide-open@127.0.0.1:1"]) {
    const { status, stderr } = await asked("plan", "--server", server);
    assert.equal([status, stderr], [64, `sluice: ${line}\n`], server);
  }
});

test.run();
