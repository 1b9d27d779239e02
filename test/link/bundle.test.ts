import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { run } from "../harness/processes.ts";

const document = `openapi: 3.1.1
info: { title: Numbers, version: "1" }
paths: {}
x-gw-streaming:
  streams:
    numbers:
      input:
        mqtt: { urls: ["tcp://127.0.0.1:1883"], topics: [in] }
      pipeline:
        processors:
          - mapping: root.number = this.text.number()
      output:
        kafka: { addresses: ["127.0.0.1:9092"], topic: out }
`;

async function link(packageRoot: string, minify = false): Promise<ReadonlyMap<string, string>> {
  const fileSystem = createMemoryFileSystem({ "numbers.yaml": document });
  const { files } = await compileDocuments(["numbers.yaml"], { packageRoot, fileSystem, minify });
  if (files === undefined) throw new Error("the document compiles");
  return files;
}

function textOf(files: ReadonlyMap<string, string>, name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`a build has ${name}`);
  return text;
}

const files = await link(projectRoot);
const code = textOf(files, "gateway.mjs");

/** Installs the package like npm does for users: next to its dependencies, which are not inside it. */
function installElsewhere(): string {
  const modules = join(temporaryDirectory("installed"), "node_modules");
  const installed = join(modules, "sluice");
  mkdirSync(installed, { recursive: true });
  for (const name of ["runtime", "package.json", "LICENSE"]) {
    cpSync(join(projectRoot, name), join(installed, name), { recursive: true });
  }
  for (const name of readdirSync(join(projectRoot, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(projectRoot, "node_modules", name), join(modules, name));
  }
  return installed;
}

/** Returns the modules of Node among `names` that importing a bundle loads, or serving it. */
async function modulesLoadedBy(text: string, names: string, isServed = false): Promise<string> {
  const bundle = join(temporaryDirectory("loaded"), "gateway.mjs");
  writeFileSync(bundle, text);
  const environment = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", GW_LOG_LEVEL: "silent" };
  const served = `serveGateway(gateway, { environment: ${JSON.stringify(environment)} })`;
  const program = `const { default: gateway, serveGateway } = await import(process.argv[1]);
    const running = ${isServed ? `await ${served}` : "undefined"};
    await running?.close();
    console.log(process.moduleLoadList.filter((name) => /^NativeModule (${names})$/.test(name)).join());`;
  const args = ["--input-type=module", "-e", program, bundle];
  // Delays of the test command would load modules of their own.
  const { status, stdout, stderr } = await run(process.execPath, args, { env: { NODE_OPTIONS: "" } });
  assert.equal([status, stderr], [0, ""]);
  return stdout.trim().replaceAll("NativeModule ", "");
}

test("a bundle does not load the fetch client of Node", async () => {
  assert.is(await modulesLoadedBy(code, ".*undici.*|_http_server"), "_http_server");
});

test("a gateway without keys and connectors starts without cryptography, workers and tables of Unicode", async () => {
  const plain = `input: { http_server: { path: /in } }\noutput: { drop: {} }\n`;
  const fileSystem = createMemoryFileSystem({ "plain.yaml": plain });
  const built = await compileDocuments(["plain.yaml"], {
    packageRoot: projectRoot,
    fileSystem,
    minify: true,
  });
  const text = textOf(built.files ?? new Map(), "gateway.mjs");
  const optional = "cluster|child_process|crypto|dgram|tls|zlib";
  assert.is(await modulesLoadedBy(text, `${optional}|_http_server`, true), "_http_server");
  // V8 collects the characters of a category when it parses the literal, even if nothing runs it.
  assert.is(/(?<!\\)\\p\{/.exec(text), null, "a regular expression with a category of Unicode");
});

test("the bundle does not depend on the location of the package and its dependencies", async () => {
  const elsewhere = installElsewhere();
  for (const minify of [false, true]) {
    const here = await link(projectRoot, minify);
    const there = await link(elsewhere, minify);
    assert.equal([...there.keys()], [...here.keys()]);
    for (const [name, text] of there) assert.ok(text === here.get(name), `${name} differs`);
  }
});

test("modules in the source map have names independent of their location", () => {
  const map: { sources: string[]; sourcesContent: string[] } = JSON.parse(textOf(files, "gateway.mjs.map"));
  assert.ok(map.sources.includes("gateway.ts"));
  assert.ok(map.sources.includes("runtime/gateway.ts"));
  assert.ok(map.sources.includes("node_modules/kafkajs/index.js"));
  const strange =
    /^(?!(runtime|node_modules)\/|(gateway|types|main)\.ts$|sluice-((mqtt|ws)-replacement|node-modules):)/;
  assert.equal(
    map.sources.filter((name) => strange.test(name)),
    [],
  );
  assert.is(map.sourcesContent[map.sources.indexOf("gateway.ts")], textOf(files, "gateway.ts"));
  assert.match(code, /^\/\/ gateway\.ts$/m);
});

/** Returns the position of the only line with `text`, from 0. */
function placeOf(text: string, within: string): { line: number; column: number } {
  const lines = within.split("\n");
  const line = lines.findIndex((each) => each.includes(text));
  return { line, column: lines[line]?.indexOf(text) ?? -1 };
}

test("the source map maps the bundle to lines of gateway.ts", () => {
  const map = new SourceMap(JSON.parse(textOf(files, "gateway.mjs.map")));
  for (const text of ["throw failedAssignment(", "new MappingRun(", 'topic: "out"']) {
    const { line, column } = placeOf(text, code);
    const entry = map.findEntry(line, column);
    assert.ok("originalSource" in entry, text);
    assert.is(entry.originalSource, "gateway.ts");
    assert.is(entry.originalLine, placeOf(text, textOf(files, "gateway.ts")).line, text);
  }
});

test("stack traces of mappings name gateway.ts", async () => {
  const folder = temporaryDirectory("stack");
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const script = `import gateway from "./gateway.mjs";
    import { Message } from ${JSON.stringify(join(projectRoot, "runtime/message/message.ts"))};
    const [mapping] = gateway.apis[0].streams.numbers().pipeline;
    const [[message]] = await mapping.process([Message.fromText('{"text":"seven"}')]);
    console.log(message.failure.stack);`;
  const args = ["--enable-source-maps", "--input-type=module", "--eval", script];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder });
  assert.is(stderr, "");
  const line = placeOf("throw failedAssignment(", textOf(files, "gateway.ts")).line + 1;
  assert.match(stdout, `${join(folder, "gateway.ts")}:${line}:`);
});

test("a bundle ends with the licences of its contents", () => {
  const notices = code.slice(code.lastIndexOf("/*! This file contains:"));
  const map: { sources: string[] } = JSON.parse(textOf(files, "gateway.mjs.map"));
  const names = map.sources.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  assert.ok(names.includes("mqtt") && names.includes("kafkajs"));
  for (const name of ["sluice", ...names]) assert.match(notices, new RegExp(`^${name}:$`, "m"), name);
  assert.not.match(notices, /^nats:$/m);
  const [own] = /Copyright .*/.exec(readFileSync(join(projectRoot, "LICENSE"), "utf8")) ?? [];
  assert.ok(own !== undefined && notices.includes(own));
  assert.ok(notices.endsWith("*/\n//# sourceMappingURL=gateway.mjs.map\n"));
});

test.run();
