import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { inputStarters, outputStarters } from "../../cli/project/starters.ts";
import { checkDocuments } from "../../compiler/compile.ts";
import { nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const folder = join(temporaryDirectory("new"), "My Shop");

test("init creates a project that passes check and test, and builds", async () => {
  const made = await warmSluice(["init", folder]);
  assert.is(made.status, 0, made.stderr);
  assert.match(made.stdout, `  cd '${folder}'\n`);
  const quiet = { status: 0, stdout: "", stderr: "" };
  assert.equal(await warmSluice(["check", "gateway.yaml"], { cwd: folder }), quiet);
  const tested = await warmSluice(["test", "."], { cwd: folder });
  assert.match(tested.stdout, /\n2 passed\n$/);
  assert.equal(await warmSluice(["build", "gateway.yaml", "-o", "out"], { cwd: folder }), quiet);
  const { name, scripts, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.is(name, "my-shop");
  assert.match(devDependencies.sluice, /^\^\d/);
  for (const command of Object.values<string>(scripts)) assert.match(command, /^sluice /);
  const files = readdirSync(folder, { recursive: true }).map(String);
  for (const file of [
    ".gitignore",
    ".dockerignore",
    ".github/workflows/gateway.yml",
    ".github/workflows/apply.yml",
    ".gitlab-ci.yml",
    "Containerfile",
  ]) {
    assert.ok(files.includes(file), file);
  }
  const settings = JSON.parse(readFileSync(join(folder, ".vscode/settings.json"), "utf8"));
  for (const schema of Object.keys(settings["yaml.schemas"]))
    assert.ok(existsSync(join(folder, schema)), schema);
  assert.match(readFileSync(join(folder, "README.md"), "utf8"), /^# my-shop\n/);
});

const named = platform() === "win32" ? test.skip : test; // it has no such names
named("init prints no control characters of a folder", async () => {
  const odd = join(temporaryDirectory("new"), "a\u001b[31mb");
  const made = await warmSluice(["init", odd]);
  assert.is(made.status, 0, made.stderr);
  assert.match((await warmSluice(["init", odd])).stderr, /\/a \[31mb is not an empty folder\n$/);
  assert.match(made.stdout, /\/a \[31mb\n/);
  assert.not.match(made.stdout, "\u001b");
});

test("init does not touch a folder that is not empty", async () => {
  const again = await warmSluice(["init", folder]);
  assert.equal(again, { status: 1, stdout: "", stderr: `sluice: ${folder} is not an empty folder\n` });
});

test("commands that cannot write say so in one line, and leave no partial files", async () => {
  const cwd = temporaryDirectory("unwritable");
  writeFileSync(join(cwd, "file"), "");
  symlinkSync("/nowhere/at/all", join(cwd, "dangling"));
  const long = "x".repeat(300);
  const at = (name: string) => join(realpathSync(cwd), name);
  const document = join(folder, "gateway.yaml");
  // All commands create folders with the same function: each one meets another error here.
  const cases: readonly (readonly [args: readonly string[], folder: string, reason: string])[] = [
    [["build", document, "-o"], "file", `\`${at("file")}\` is a file`],
    [["component", "init"], "dangling/below", "file already exists"],
    [["init"], long, "name too long"],
    [["build", document, "--artifact"], `deep/${long}/below`, "name too long"],
  ];
  // Node's own recursive `mkdir` does not return there.
  const endless = [["init"], "/proc/none/below", "`/proc` takes no new folders"] as const;
  for (const [args, target, reason] of platform() === "linux" ? [...cases, endless] : cases) {
    assert.equal(await warmSluice([...args, target], { cwd }), {
      status: 1,
      stdout: "",
      stderr: `sluice: cannot write to \`${target}\`: ${reason}\n`,
    });
  }
  assert.equal(readdirSync(cwd).toSorted(), ["dangling", "deep", "file"]);
});

test("new adds an API to the gateway, streams to the API, mappings and tests, all of which pass", async () => {
  const call = async (...args: string[]) => {
    const outcome = await warmSluice(["new", ...args], { cwd: folder });
    assert.equal([outcome.status, outcome.stderr], [0, ""]);
    return outcome.stdout;
  };
  assert.match(
    await call("api", "shop", "--listen-path", "/buy/"),
    "made shop.yaml and added it to gateway.yaml",
  );
  await call("stream", "audit", "--in", "shop.yaml", "--input", "kafka", "--output", "http_server");
  await call("test", "shop.yaml", "--stream", "audit");
  await call("mapping", "prices");
  assert.match(readFileSync(join(folder, "gateway.yaml"), "utf8"), "# What one gateway serves.");
  const checked = await warmSluice(["check", "gateway.yaml"], { cwd: folder });
  assert.equal([checked.status, checked.stderr], [0, ""], checked.stdout);
  const tested = await warmSluice(["test", "."], { cwd: folder });
  assert.match(tested.stdout, /\n4 passed\n$/);
});

test("new declares the endpoints of a stream in a document that declares others", async () => {
  const cwd = temporaryDirectory("declared");
  const operation = "{ responses: { '200': { description: Done } } }";
  const paths = `paths:\n  /shop: # sells\n    get: ${operation}\n  /orders:\n    post: ${operation}\n`;
  const served = "input: { http_server: { path: /shop, allowed_verbs: [GET] } }, output: { drop: {} }";
  const api = (declared: string) =>
    `openapi: 3.1.0\ninfo: { title: A, version: '1' }\n${declared}x-gw-streaming:\n  streams: { shop: { ${served} } }\n`;
  const codesAfter = async (declared: string) => {
    writeFileSync(join(cwd, "api.yaml"), api(declared));
    const options = ["--in", "api.yaml", "--input", "http_server", "--output", "http_server"];
    const added = await warmSluice(["new", "stream", "orders", ...options], { cwd });
    assert.equal([added.status, added.stderr], [0, ""]);
    const checked = await warmSluice(["check", "api.yaml", "--format", "json"], { cwd });
    return JSON.parse(checked.stdout).map(({ code }: { code: string }) => code);
  };
  const read = () => parse(readFileSync(join(cwd, "api.yaml"), "utf8"));
  assert.not((await codesAfter(paths)).includes("GW4053"));
  assert.equal(Object.keys(read().paths), ["/shop", "/orders", "/orders/events"]);
  assert.match(readFileSync(join(cwd, "api.yaml"), "utf8"), "# sells");
  // Without operations, a check reports no endpoint; with one, it would report those of other streams.
  assert.not((await codesAfter("paths: { /shop: {} }\n")).includes("GW4053"));
  assert.equal(read().paths, { "/shop": {} });
});

test("new keeps JSON documents JSON, with all bytes but the added", async () => {
  const cwd = temporaryDirectory("json");
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  const add = async (...args: string[]) => {
    const { status, stderr } = await warmSluice(["new", ...args], { cwd });
    assert.equal([status, stderr], [0, ""]);
  };
  const ends = ["--in", "api.json", "--input", "http_server", "--output", "http_server"];
  const shop = '{ "input": { "http_server": { "path": "/shop" } }, "output": { "drop": {} } }';
  const operation = '{ "get": { "responses": { "200": { "description": "x", "x-n": 1.0 } } } }';
  const text = `{
  "openapi": "3.1.0",
  "info": { "title": "A", "version": "1" },
  "x-gw-streaming": {
    "streams": {
      "shop": ${shop}
    }
  },
  "paths": { "/shop": ${operation} }
}
`;
  for (const newline of ["\n", "\r\n"]) {
    write("api.json", text.replaceAll("\n", newline));
    await add("stream", "orders", ...ends);
    const after = read("api.json");
    const { paths, "x-gw-streaming": streaming } = JSON.parse(after);
    assert.equal(Object.keys(streaming.streams), ["shop", "orders"]);
    assert.equal(Object.keys(paths), ["/shop", "/orders", "/orders/events"]);
    assert.is(after.replaceAll("\r\n", "\n").includes("\r"), false);
    assert.is(after.replaceAll(newline, "").includes("\n"), false);
    const lines = after.split(newline);
    for (const line of text.split("\n").filter((each) => !/"(?:shop|paths)":/.test(each)))
      assert.ok(lines.includes(line), line);
    assert.match(after, `"shop": ${shop},${newline}      "orders": {${newline}        "input": {`);
    assert.match(after, operation);
    const checked = await warmSluice(["check", "api.json"], { cwd });
    assert.not.match(checked.stdout, /^error/m);
  }

  write("api.json", '{"openapi":"3.1.0","info":{"title":"A","version":"1"},"paths":{}}');
  await add("stream", "orders", ...ends);
  assert.equal(Object.keys(JSON.parse(read("api.json"))["x-gw-streaming"].streams), ["orders"]);
  write("gateway.json", '{ "streaming": { "enabled": true }, "apis": [] }');
  for (const name of ["one", "two"]) await add("api", name, "--gateway", "gateway.json");
  assert.is(read("gateway.json"), '{ "streaming": { "enabled": true }, "apis": [ "one.yaml", "two.yaml" ] }');
  await add("api", "three", "--gateway", "gateway.json");
  assert.equal(JSON.parse(read("gateway.json")).apis, ["one.yaml", "two.yaml", "three.yaml"]);
  write("api.json", '{ "openapi": "3.1.0", "x-gw-streaming": null }');
  const refused = await warmSluice(["new", "stream", "orders", ...ends], { cwd });
  assert.equal(
    [refused.status, refused.stderr],
    [1, "sluice: `x-gw-streaming.streams.orders` cannot be added to api.json\n"],
  );
});

test("new fills keys without a value, and refuses places that hold something else", async () => {
  const cwd = temporaryDirectory("empty-keys");
  const options = ["--in", "api.yaml", "--input", "kafka", "--output", "drop"];
  const api = (streaming: string) =>
    writeFileSync(
      join(cwd, "api.yaml"),
      `openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths:\n${streaming}`,
    );
  for (const streaming of ["x-gw-streaming:\n", "x-gw-streaming:\n  streams: # ours\n"]) {
    api(streaming);
    const { status, stderr } = await warmSluice(["new", "stream", "audit", ...options], { cwd });
    assert.equal([status, stderr], [0, ""]);
    const { "x-gw-streaming": added } = parse(readFileSync(join(cwd, "api.yaml"), "utf8"));
    assert.equal(Object.keys(added.streams), ["audit"]);
  }
  api("x-gw-streaming: [1]\n");
  const refused = await warmSluice(["new", "stream", "audit", ...options], { cwd });
  assert.equal(
    [refused.status, refused.stderr],
    [1, "sluice: `x-gw-streaming.streams.audit` cannot be added to api.yaml\n"],
  );
  writeFileSync(join(cwd, "gateway.yaml"), "apis:\n");
  assert.is((await warmSluice(["new", "api", "shop"], { cwd })).status, 0);
  assert.equal(parse(readFileSync(join(cwd, "gateway.yaml"), "utf8")).apis, ["shop.yaml"]);
});

test("new keeps the line ends and the byte order mark of documents", async () => {
  const cwd = temporaryDirectory("windows");
  const path = join(cwd, "api.yaml");
  const text = readFileSync(join(folder, "orders.yaml"), "utf8").replaceAll("\n", "\r\n");
  writeFileSync(path, `\uFEFF${text}`);
  const options = ["--in", "api.yaml", "--input", "kafka", "--output", "drop"];
  const { status, stderr } = await warmSluice(["new", "stream", "audit", ...options], { cwd });
  assert.equal([status, stderr], [0, ""]);
  const after = readFileSync(path, "utf8");
  assert.ok(after.startsWith("\uFEFF# ") || after.startsWith("\uFEFFopenapi"), after.slice(0, 40));
  assert.not.match(after, /[^\r]\n/);
  assert.is((await warmSluice(["check", "api.yaml"], { cwd })).status, 0);
});

test("new reports invalid requests in one line", async () => {
  const refusals = [
    [
      ["stream", "audit", "--in", "shop.yaml", "--input", "kafka", "--output", "drop"],
      "shop.yaml has a stream `audit` already",
    ],
    [
      ["stream", "Audit/..", "--in", "shop.yaml", "--input", "kafka", "--output", "drop"],
      "`Audit/..` is not a name: lower-case letters, digits, - and _",
    ],
    [["stream", "a", "--in", "none.yaml", "--input", "kafka", "--output", "drop"], "there is no none.yaml"],
    [
      ["stream", "a", "--in", "gateway.yaml", "--input", "kafka", "--output", "drop"],
      "gateway.yaml is not an OpenAPI document",
    ],
    [
      ["stream", "a", "--in", "shop.yaml", "--input", "kafka"],
      "option --output is missing, and there is no terminal to ask at",
    ],
    [["api", "shop"], "shop.yaml exists already"],
    [["api", "other", "--listen-path", "buy"], "`buy` is not a path such as /orders/"],
    [["mapping", "prices"], "prices_test.yaml exists already"],
    [["test", "shop.yaml", "--stream", "none"], "shop.yaml has no stream `none`; it has shop, audit"],
  ] as const;
  for (const [args, message] of refusals) {
    const outcome = await warmSluice(["new", ...args], { cwd: folder });
    const isMisuse = /is not a name|is not a path|is missing/.test(message);
    assert.equal(outcome, { status: isMisuse ? 64 : 1, stdout: "", stderr: `sluice: ${message}\n` });
  }
});

test("the starters of every input with every output pass check", async () => {
  const pairs = Object.entries(inputStarters).flatMap(([input, read]) =>
    Object.entries(outputStarters)
      .filter(([output]) => output !== "sync_response" || input === "http_server")
      .map(([output, write]) => ({ input: { [input]: read }, output: { [output]: write } })),
  );
  for (const pair of pairs) {
    const text = Object.entries(pair)
      .flatMap(([role, starter]) =>
        Object.entries(starter).map(([name, of]) => `${role}:\n  ${name}: ${of("orders")}\n`),
      )
      .join("");
    const { diagnostics } = await checkDocuments(["stream.yaml"], {
      fileSystem: { ...nodeFileSystem, readFile: async () => new TextEncoder().encode(text) },
    });
    assert.equal(
      diagnostics
        .filter(({ severity }) => severity !== "info")
        .map(({ code, message }) => `${code} ${message}`),
      [],
      text,
    );
  }
});

test("at a terminal, new prompts for missing options", async () => {
  const command = [
    process.execPath,
    join(projectRoot, "bin/sluice.js"),
    "new",
    "stream",
    "--in",
    "shop.yaml",
  ];
  const line = `stty cols 100 rows 40; ${command.map((word) => `'${word}'`).join(" ")}`;
  const terminal = spawn("script", ["-qec", line, "/dev/null"], { cwd: folder });
  let shown = "";
  const answers = [
    ["What is the stream called?", "typed\r"],
    ["Where do messages come from?", "\u001B[B\r"],
    ["Where do messages go?", "\r"],
  ] as const;
  let asked = 0;
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    const [question, answer] = answers[asked] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    asked++;
    terminal.stdin.write(answer);
  });
  const [status] = await once(terminal, "close");
  assert.is(status, 0, shown);
  assert.match(readFileSync(join(folder, "shop.yaml"), "utf8"), /typed:\s+input:\s+kafka:/);
});

test.run();
