import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, compileDocuments, planDocuments, readDialect } from "../../compiler/compile.ts";
import { compileDefinition, compileProcessOf } from "../../compiler/compile-definition.ts";
import { compileUnits } from "../../compiler/compile-units.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { streamDigests } from "../../compiler/plan/digests.ts";
import { loadUnit } from "../../runtime/gateway/artifact/load-unit.ts";
import { apiOf } from "../harness/api-documents.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { until, within } from "../harness/wait.ts";

const test = suite("packages");
const example = join(projectRoot, "examples/own-component");
const set = join(example, "example/gateway.yaml");

/** A package with one method of that name, which marks texts. */
function methodPackage(name: string, mark = "!"): Record<string, string> {
  return {
    "package.json": JSON.stringify({ name: `sluice-${name}`, exports: { "./sluice": "./sluice.ts" } }),
    "sluice.ts": `import { defineComponents, defineMethod } from "sluice/component";
export default defineComponents({ builtins: [defineMethod({
  name: "${name}", doc: "Marks a text.", targets: ["string"], returns: "string",
  runtime: { module: "mark.ts", symbol: "mark" },
})] });`,
    "mark.ts": `import { textTarget, type Value } from "sluice/component";
export function mark(target: Value, from: string): string { return textTarget(target, from) + "${mark}"; }`,
  };
}

const stream = (mapping: string) =>
  `input: { http_server: { path: /in } }\npipeline: { processors: [{ mapping: '${mapping}' }] }\noutput: { sync_response: {} }\n`;
const gateway = (...names: readonly string[]) =>
  `streaming: { enabled: true }\ncomponents: [${names.join(", ")}]\napis: [orders.yaml]\n`;
const below = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

async function filesIn(files: Record<string, string>): Promise<string> {
  const folder = temporaryDirectory("packages");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

test("concurrent checks of two sets in a process use only their own packages", async () => {
  const check = (own: string, called: string) =>
    checkDocuments(["gateway.yaml"], {
      fileSystem: createMemoryFileSystem({
        "gateway.yaml": gateway(`./${own}`),
        "orders.yaml": stream(`root = this.a.string().${called}()`),
        ...below(own, methodPackage(own)),
      }),
    });
  const results = await Promise.all([
    check("loud", "loud"),
    check("calm", "calm"),
    check("loud", "calm"),
    check("calm", "loud"),
  ]);
  assert.equal(
    results.map(({ diagnostics }) => diagnostics.map(({ code }) => code)),
    [[], [], ["GW3004"], ["GW3004"]],
  );
});

test("functions with the same name in two packages get distinct names", async () => {
  const folder = await filesIn({
    "gateway.yaml": gateway("./loud", "./calm"),
    "orders.yaml": stream('root = this.a.string().loud() + this.a.string().calm() + "x".uppercase()'),
    ...below("loud", methodPackage("loud", "!")),
    ...below("calm", methodPackage("calm", ".")),
  });
  const { files, diagnostics } = await compileDocuments([join(folder, "gateway.yaml")], {
    packageRoot: projectRoot,
  });
  assert.equal(diagnostics, []);
  const text = files?.get("gateway.ts") ?? "";
  assert.match(text, 'import { mark as $mark2 } from "sluice-calm/mark.ts";');
  assert.match(text, 'import { mark as $mark } from "sluice-loud/mark.ts";');
  // The same bytes wherever the folders lie.
  const bundle = files?.get("gateway.mjs") ?? "";
  assert.match(bundle, "\n// sluice-loud/mark.ts\n");
  assert.not.match(bundle, join(folder, "loud"));
});

test("a package without uses in streams adds nothing to the bundle", async () => {
  const folder = await filesIn({
    "with/gateway.yaml": gateway("../loud").replace("orders.yaml", "../orders.yaml"),
    "without/gateway.yaml": gateway().replace("orders.yaml", "../orders.yaml"),
    "orders.yaml": stream("root = this"),
    ...below("loud", methodPackage("loud")),
  });
  const bundleOf = async (name: string) => {
    const { files } = await compileDocuments([join(folder, name, "gateway.yaml")], {
      packageRoot: projectRoot,
    });
    return files?.get("gateway.mjs");
  };
  const plain = await bundleOf("without");
  assert.ok(plain !== undefined && (await bundleOf("with")) === plain);
});

test("another version of a package changes only the digests of streams that use it", async () => {
  const indented = (text: string) => text.replaceAll(/^/gm, "  ").trimEnd();
  const streams = [
    `marked:\n${indented(stream("root = this.a.string().loud()"))}`,
    `plain:\n${indented(stream("root = this").replace("/in", "/plain"))}\n`,
  ].join("\n");
  const digests = async (mark: string) => {
    const { plan, diagnostics } = await planDocuments(["gateway.yaml"], {
      fileSystem: createMemoryFileSystem({
        "gateway.yaml": gateway("./loud"),
        "orders.yaml": apiOf(streams),
        ...below("loud", methodPackage("loud", mark)),
      }),
    });
    assert.equal(diagnostics, []);
    const found = plan?.apis.map(streamDigests)[0];
    return [found?.get("marked")?.pipeline, found?.get("plain")?.pipeline];
  };
  const [before, same, after] = [await digests("!"), await digests("!"), await digests("?")];
  assert.equal(before, same);
  assert.is.not(before?.[0], after?.[0]);
  assert.is(before?.[1], after?.[1]);
});

/** A server of lines: what it was sent, and the sockets it has. */
interface LineServer {
  readonly address: string;
  readonly lines: readonly string[];
  readonly sockets: readonly Socket[];
  close(): void;
}

async function lineServer(): Promise<LineServer> {
  const [lines, sockets]: [string[], Socket[]] = [[], []];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    let rest = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
    });
    socket.on("error", () => socket.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const bound = server.address();
  return {
    address: `tcp://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : ""}`,
    lines,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("the example runs: lines in, masked lines out, each acknowledged", async () => {
  const { files, diagnostics, modules } = await compileDocuments([set], { packageRoot: projectRoot });
  assert.equal(diagnostics, []);
  assert.ok(modules?.has("sluice-lines/runtime/input.ts"));
  assert.not.ok(modules?.has("sluice-lines/sluice.ts"), "descriptors stay with the compiler");
  // One copy of what both sides use.
  assert.is([...(modules?.keys() ?? [])].filter((name) => name.endsWith("/errors.ts")).length, 1);
  const [source, sink] = [await lineServer(), await lineServer()];
  process.env.PAYMENTS_IN = source.address;
  process.env.PAYMENTS_OUT = sink.address;
  const module = await loadGateway(files ?? new Map());
  process.env.GW_LISTEN = "127.0.0.1:0";
  process.env.GW_ADMIN_LISTEN = "127.0.0.1:0";
  process.env.GW_LOG_LEVEL = "silent";
  const running = await module.serveGateway(module.default);
  try {
    const [socket] = await until(() => source.sockets.length > 0 && source.sockets);
    socket?.write('{"id":"p1","card":"4242424242424242"}\n{"id":"p2","card":"5555444433332222"}\n');
    await until(() => sink.lines.length === 2, { what: "two lines" });
    assert.equal(sink.lines, [
      'p1 {"card":"************4242","id":"p1","line":1}',
      'p2 {"card":"************2222","id":"p2","line":2}',
    ]);
    await until(() => source.lines.length === 2, { what: "two acknowledgements" });
    assert.equal(source.lines, ["ok", "ok"]);
  } finally {
    await within(running.close(), { what: "the end of the gateway" });
    source.close();
    sink.close();
    for (const name of ["PAYMENTS_IN", "PAYMENTS_OUT", "GW_LISTEN", "GW_ADMIN_LISTEN", "GW_LOG_LEVEL"])
      delete process.env[name];
  }
});

test("modules of a deployment contain the code of packages, and import only the runtime", async () => {
  const { apis = [], diagnostics } = await compileUnits([set]);
  assert.equal(diagnostics, []);
  const [unit] = apis;
  assert.ok(unit?.imports.includes("runtime/extension/node.ts"));
  assert.ok(unit?.imports.includes("runtime/extension/component.ts"));
  assert.match(unit?.code ?? "", "createConnection");
  assert.ok(unit?.imports.every((name) => name.startsWith("runtime/")));
  // As a gateway loads it: everything that it requires is there.
  const runtime = { digest: "", load: async (module: string) => import(join(projectRoot, module)) };
  const { code = "", imports = [] } = unit ?? {};
  assert.ok(await loadUnit({ code, imports, filename: "payments.js" }, runtime));
});

test("definitions use the packages of the owner's settings, and cannot name packages themselves", async () => {
  const location = join(await filesIn(below("loud", methodPackage("loud"))), "gateway.yaml");
  const settings = { path: "gateway.yaml", text: "components: [./loud]\n", location };
  const text = stream("root = this.a.string().loud()");
  const used = await compileDefinition({ path: "orders.yaml", text }, { settings });
  assert.equal(used.diagnostics, []);
  assert.match(used.unit?.code ?? "", "textTarget");
  assert.equal((await compileProcessOf({ settings })).diagnostics, []);
  // Whatever a definition is called and holds, nothing that it names is run.
  const marker = join(dirname(location), "marker");
  const own = join(dirname(location), "own");
  await mkdir(own);
  writeFileSync(join(own, "package.json"), '{ "name": "own", "exports": { "./sluice": "./sluice.mjs" } }');
  writeFileSync(
    join(own, "sluice.mjs"),
    `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(marker)}, "");\n`,
  );
  for (const path of ["gateway.yaml", "orders.yaml", "gateway.json"]) {
    const hostile = { path, text: JSON.stringify({ components: [own], apis: [] }) };
    for (const options of [{ settings }, {}]) {
      const { isRefused } = await compileDefinition(hostile, options);
      assert.ok(isRefused, `${path} is refused`);
    }
  }
  assert.throws(() => process.getBuiltinModule("node:fs").readFileSync(marker), /ENOENT/);
});

test("the components and functions of a set are read without its documents", async () => {
  const { dialect, counts } = await readDialect(set);
  assert.is(counts.error, 0);
  assert.equal(
    dialect.packages.map(({ name }) => name),
    ["sluice-lines"],
  );
  assert.is(dialect.components.find("input", "line_socket")?.runtime.source?.package, "sluice-lines");
  assert.ok(dialect.builtins.findMethod("masked"));
});

test.run();
