import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt, relay } from "./documents.ts";

const names = [
  "gateway.mjs",
  "gateway.mjs.map",
  "gateway.ts",
  "manifest.json",
  "sbom.cdx.json",
  "third-party-licenses.txt",
  "types.ts",
];

function contentsOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder).sort();
  return Object.fromEntries(entries.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

async function build(
  cwd: string,
  document = "api.yaml",
  output = "out",
): Promise<Readonly<Record<string, string>>> {
  const outcome = await warmSluice(["build", document, "-o", output], { cwd });
  assert.equal(outcome, { status: 0, stdout: "", stderr: "" });
  return contentsOf(join(cwd, output));
}

test("build prints nothing and writes seven files, into a folder that it creates", async () => {
  const cwd = folderWith({ "api.yaml": relay() });
  const files = await build(cwd, "api.yaml", "deep/er/out");
  assert.equal(Object.keys(files), names);
  assert.equal(readdirSync(cwd).sort(), ["api.yaml", "deep"]);
});

test("the same documents build to the same bytes, repeatedly and from other folders", async () => {
  const cwd = folderWith({ "apis/api.yaml": relay() });
  const first = await build(cwd, "apis/api.yaml", "one");
  assert.equal(await build(cwd, "apis/api.yaml", "two"), first);
  const elsewhere = folderWith({ "apis/api.yaml": relay() });
  assert.equal(await build(elsewhere, "apis/api.yaml", "three"), first);
  // An absolute path and a path relative to the working directory produce the same output.
  assert.equal(await build(elsewhere, join(elsewhere, "apis/api.yaml"), "four"), first);
});

test("no file of a build names paths of the build machine", async () => {
  const cwd = folderWith({ "api.yaml": relay() });
  for (const [name, text] of Object.entries(await build(cwd))) {
    for (const place of [cwd, process.cwd(), process.execPath, import.meta.dirname]) {
      assert.not(text.includes(place), `${name} has ${place}`);
    }
    assert.not.match(text, /(^|[\s"'(])(\.\.\/)+[^"'\s]*node_modules\//, name);
  }
});

test("a second build replaces its files and keeps other files", async () => {
  const cwd = folderWith({ "api.yaml": relay(), "out/notes.txt": "mine", "out/gateway.mjs": "old" });
  const files = await build(cwd);
  assert.equal(Object.keys(files), [...names, "notes.txt"].sort());
  assert.is(files["notes.txt"], "mine");
  assert.match(files["gateway.mjs"] ?? "", "serveGateway");
});

test("an error writes nothing: it creates no folder, and changes no existing one", async () => {
  const cwd = folderWith({ "api.yaml": misspelt, "there/gateway.mjs": "old" });
  for (const output of ["out", "there"]) {
    const { status, stdout, stderr } = await warmSluice(["build", "api.yaml", "-o", output], { cwd });
    assert.equal([status, stdout], [1, ""]);
    assert.match(stderr, /^error GW4010: /);
  }
  assert.equal(readdirSync(cwd).sort(), ["api.yaml", "there"]);
  assert.equal(contentsOf(join(cwd, "there")), { "gateway.mjs": "old" });
});

test("diagnostics in JSON go to standard output", async () => {
  const cwd = folderWith({ "api.yaml": misspelt });
  const failed = await warmSluice(["build", "api.yaml", "-o", "out", "--format", "json"], { cwd });
  assert.equal([failed.status, failed.stderr], [1, ""]);
  assert.is(JSON.parse(failed.stdout)[0].code, "GW4010");
  writeFileSync(join(cwd, "api.yaml"), relay());
  const built = await warmSluice(["build", "api.yaml", "-o", "out", "--format", "json"], { cwd });
  assert.equal(built, { status: 0, stdout: "[]\n", stderr: "" });
});

test("an unwritable folder is reported in one line with exit code 1, and leaves no partial files", async () => {
  const cwd = folderWith({ "api.yaml": relay(), file: "" });
  mkdirSync(join(cwd, "taken/types.ts"), { recursive: true });
  const failures = [
    ["file", "is a file"],
    ["file/out", "not a directory"],
    ["taken", "a directory"],
  ] as const;
  for (const [output, reason] of failures) {
    const { status, stdout, stderr } = await warmSluice(["build", "api.yaml", "-o", output], { cwd });
    assert.equal([status, stdout], [1, ""]);
    assert.match(stderr, new RegExp(`^sluice: cannot write to \`${output}\`: .*${reason}.*\\n$`));
  }
  assert.equal(
    readdirSync(join(cwd, "taken")).filter((name) => name.endsWith(".new")),
    [],
  );
});

test("--minify shortens the bundle, and does not change the readable source", async () => {
  const cwd = folderWith({ "api.yaml": relay() });
  const plain = await build(cwd);
  const outcome = await warmSluice(["build", "api.yaml", "-o", "small", "--minify"], { cwd });
  assert.is(outcome.status, 0);
  const small = contentsOf(join(cwd, "small"));
  assert.is(small["gateway.ts"], plain["gateway.ts"]);
  assert.ok((small["gateway.mjs"] ?? "").length < (plain["gateway.mjs"] ?? "").length * 0.7);
});

test("--dump prints what a build would write, and writes nothing", async () => {
  const cwd = folderWith({ "api.yaml": relay(), "broken.yaml": misspelt });
  const files = await build(cwd);
  for (const phase of ["gateway", "types"]) {
    const dumped = await warmSluice(["build", "api.yaml", "--dump", phase], { cwd });
    assert.equal(dumped, { status: 0, stdout: files[`${phase}.ts`] ?? "", stderr: "" });
  }
  const plan = await warmSluice(["build", "api.yaml", "--dump", "plan"], { cwd });
  assert.is(JSON.parse(plan.stdout).apis[0].id, "api");
  const failed = await warmSluice(["build", "broken.yaml", "--dump", "plan"], { cwd });
  assert.equal([failed.status, failed.stdout], [1, ""]);
  assert.equal(readdirSync(cwd).sort(), ["api.yaml", "broken.yaml", "out"]);
});

test("the manifest lists streams, routes, connectors, variables and digests", async () => {
  const text = relay().replace("{ path: /out }", "{ path: /out, timeout: '${RELAY_TIMEOUT:5s}' }");
  const files = await build(folderWith({ "api.yaml": text }));
  const { files: digests, ...manifest } = JSON.parse(files["manifest.json"] ?? "");
  assert.equal(
    Object.keys(digests).sort(),
    names.filter((name) => name !== "manifest.json"),
  );
  assert.equal(manifest, {
    apis: [
      {
        id: "api",
        listenPath: "/",
        source: "api.yaml",
        streams: [
          {
            name: "relay",
            input: "http_server",
            output: "http_server",
            routes: [
              { transport: "http", verbs: ["POST"], path: "/in", callers: { POST: "open" } },
              { transport: "http", verbs: ["GET"], path: "/out", callers: { GET: "open" } },
              { transport: "websocket", verbs: [], path: "/out", callers: { GET: "open" } },
            ],
          },
        ],
        access: { callers: "open", operations: [], policies: [], keys: [], protections: [] },
      },
    ],
    connectors: ["http_server"],
    environment: [{ name: "RELAY_TIMEOUT", required: false, usedAt: ["api.yaml:10"] }],
    secretFiles: [],
  });
});

test.run();
