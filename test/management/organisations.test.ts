import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDefinition } from "../../compiler/compile-definition.ts";
import { createMemoryFileSystem } from "../../compiler/index.ts";
import { readManagementSettings } from "../../compiler/management-settings.ts";
import { locate } from "../../compiler/source/source.ts";
import { Compiler } from "../../management/compiling/compiler.ts";
import type { GatewayError } from "../../runtime/errors.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { run } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import { freshFile } from "../runtime/store/databases.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { type Answer, keys, startTestService, type TestService } from "./services.ts";

const path = "/apis/streams";
const other = { authorization: keys.other };
const acme = {
  organisation: "acme",
  variables: ["ACME_*", "REGION"],
  files: ["/run/acme/", "/etc/acme.pem"],
};

/** Returns a definition as plain values, with `processors` and an output. */
function definition(processors: readonly object[], output: object): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Orders", version: "1.0.0" },
    paths: {},
    "x-gw-api-gateway": {
      info: { name: "orders", state: { active: true } },
      server: { listenPath: { value: "/orders/" } },
    },
    "x-gw-streaming": {
      streams: { intake: { input: { http_server: { path: "/new" } }, pipeline: { processors }, output } },
    },
  });
}

/** Resolves with the codes of the compiler's errors for the definition of `acme`. */
async function errorsOf(text: string): Promise<readonly string[]> {
  const { diagnostics } = await compileDefinition({ path: "orders.json", text }, { tenant: acme });
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

const database = (dsn: string) =>
  definition([{ sql_raw: { driver: "postgres", dsn, query: "SELECT 1" } }], drop);
const client = (url: string, more: object = {}) => ({ http_client: { url, ...more } });
const drop = { drop: {} };

/** The places where a definition can read a variable: each function returns such a definition. */
const readings: Readonly<Record<string, (name: string) => string>> = {
  url: (name) => definition([], client(`https://\${${name}}/`)),
  default: (name) => definition([], client(`https://\${${name}:example.com}/`)),
  secret: (name) =>
    definition([], client("https://example.com/", { headers: { "X-A": `$secret_env.${name}` } })),
  template: (name) =>
    definition([], client("https://example.com/", { headers: { "X-A": `\${! env("${name}") }` } })),
  mixed: (name) =>
    definition([], client("https://example.com/", { headers: { "X-A": `\${! content() } \${${name}}` } })),
  mapping: (name) => definition([{ mapping: `root.a = env("${name}")` }], drop),
  parted: (name) =>
    definition([{ mapping: `root.a = env("${name.slice(0, 2)}" + "${name.slice(2)}")` }], drop),
  named: (name) => definition([{ mapping: `root.a = env(name: "${name}", no_cache: true)` }], drop),
  nested: (name) =>
    definition([{ branch: { processors: [{ mapping: `root = if env("${name}") != null { 1 }` }] } }], drop),
  map: (name) => definition([{ mapping: `map x { root = env("${name}") }\nroot.a = this.apply("x")` }], drop),
  check: (name) =>
    definition([], {
      switch: { cases: [{ check: `env("${name}") == "a"`, output: drop }, { output: drop }] },
    }),
};

test("a variable is read only if allowed for the organisation, in any spelling", async () => {
  const gateway = fc.constantFrom(
    "GW_ADMIN_TOKEN",
    "GW_MANAGEMENT_API_KEYS",
    "GW_PORTAL_ACCESS_TOKENS",
    "GW_X",
  );
  const foreign = fc.constantFrom("PATH", "HOME", "OTHER_TOKEN", "ACME", "REGIONS", "acme_x");
  const own = fc.constantFrom("ACME_KAFKA", "ACME_", "REGION");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(readings)),
      fc.oneof(
        fc.tuple(gateway, fc.constant(["GW4330"])),
        fc.tuple(foreign, fc.constant(["GW4331"])),
        fc.tuple(own, fc.constant([])),
      ),
      async (place, [name, expected]) => {
        const found = await errorsOf(readings[place]?.(name) ?? "");
        assert.equal([...new Set(found)], expected, `${place}: ${name}`);
      },
    ),
    { seed: 5, numRuns: 24 },
  );
});

test("a variable name with a character at which the system ends names is rejected", async () => {
  for (const end of ["\\u0000", "\\u0000B", "=", "=a"])
    assert.equal(
      await errorsOf(definition([{ mapping: `root = env("ACME_A${end}")` }], drop)),
      ["GW4331"],
      end,
    );
});

test("a computed variable name is rejected, as it cannot be checked", async () => {
  for (const mapping of ["root = env(this.name)", 'let n = "ACME_A"\nroot = env($n)'])
    assert.equal(await errorsOf(definition([{ mapping }], drop)), ["GW4333"], mapping);
});

test("a file is used only if allowed for the organisation, in any field", async () => {
  const reads: readonly ((file: string) => string)[] = [
    (file) => definition([], client("https://example.com/", { headers: { "X-A": `\${file:${file}}` } })),
    (file) => definition([], client("https://example.com/", { tls: { enabled: true, root_cas_file: file } })),
    (file) =>
      definition([], {
        nats: { urls: ["nats://example.com:4222"], subject: "a", auth: { user_credentials_file: file } },
      }),
    (file) => definition([], { socket: { network: "unix", address: file } }),
    ...["host=/", "sslrootcert=", "sslcert=", "sslkey=", "%73slkey=", "ssl\nkey="].map(
      (parameter) => (file: string) =>
        database(
          `postgres://shop@db.example/shop?a=b&${parameter}${file.slice(parameter.endsWith("/") ? 1 : 0)}`,
        ),
    ),
    (file) => database(`postgres://shop@%2F${encodeURIComponent(file.slice(1))}/shop`),
  ];
  const files: readonly (readonly [string, boolean])[] = [
    ["/run/acme/a", true],
    ["/etc/acme.pem", true],
    ["/etc/passwd", false],
    ["/run/acme/../../etc/passwd", false],
    ["/run/acme/./a", false],
    ["/run/acme//a", false],
    ["/run/acme/a,/etc/passwd", false],
    ["run/acme/a", false],
    ["/run/acmes/a", false],
    ["/etc/acme.pem/x", false],
  ];
  for (const read of reads)
    for (const [file, isAllowed] of files)
      assert.equal(await errorsOf(read(file)), isAllowed ? [] : ["GW4332"], read(file));
});

test("the token of a remote portal is not available to organisations", async () => {
  const output = { portal_webhook: { event_type: "a", portal_url: "https://portal.example.com" } };
  assert.ok((await errorsOf(definition([], output))).includes("GW4330"));
});

/** Returns a definition with a listen path, and optionally with a host name. */
function at(listenPath: string, host?: string): string {
  const document = JSON.parse(definitionOf(listenPath));
  if (host !== undefined) document["x-gw-api-gateway"].server.customDomain = { enabled: true, name: host };
  return JSON.stringify(document);
}

const create = (service: TestService, text: string, headers = {}): Promise<Answer> =>
  service.ask("POST", path, text, { ...ownType, ...headers });

test("listen paths and hosts belong to the organisation that first uses them or to which they are assigned", async () => {
  const settings = { organisations: { default: { hosts: ["*.acme.example"], paths: ["/acme/"] } } };
  const service = await startTestService(await freshFile(), { settings });
  for (const text of [at("/orders/"), at("/shop/", "shop.example")])
    assert.is((await create(service, text)).status, 200);
  const refused: readonly (readonly [string, string?])[] = [
    ["/orders/"],
    ["/orders/new/"],
    ["/ORDERS/x/"],
    ["/%6frders/"],
    ["/"],
    ["/orders/", "any.example"],
    ["/shop/"],
    ["/elsewhere/", "shop.example"],
    ["/elsewhere/", "SHOP.example."],
    ["/elsewhere/", "a.acme.example"],
    ["/acme/a/"],
    ["/acme/"],
    ["/{any}/"],
    ["/{any}/new/"],
    ["/{any}/new/", "any.example"],
    ["/%7bany}/"],
  ];
  for (const [listenPath, host] of refused) {
    const { status, body } = await create(service, at(listenPath, host), other);
    assert.equal(
      [status, body],
      [403, { Status: "Error", Message: "Found API with same url.", Meta: null }],
      listenPath,
    );
  }
  for (const [listenPath, host] of [["/order/"], ["/shop/", "other.example"]] as const)
    assert.is((await create(service, at(listenPath, host), other)).status, 200, listenPath);
  assert.is((await create(service, at("/orders/more/"))).status, 200);
  assert.is((await create(service, at("/acme/"))).status, 200);
  await service.close();
});

test("the longest matching assigned host determines the organisation", async () => {
  const settings = {
    organisations: { default: { hosts: ["*.Acme.example."] }, other: { hosts: ["PAY.acme.example"] } },
  };
  const service = await startTestService(await freshFile(), { settings });
  const rows: readonly (readonly [host: string, own: number, other: number])[] = [
    ["a.acme.example", 200, 403],
    ["pay.acme.example", 403, 200],
    ["a.pay.acme.example", 200, 403],
  ];
  for (const [index, [host, own, foreign]] of rows.entries()) {
    const refused = own === 403 ? {} : other;
    const taken = own === 403 ? other : {};
    assert.is((await create(service, at(`/${index}/`, host), refused)).status, 403, host);
    assert.is((await create(service, at(`/${index}/`, host), taken)).status, Math.min(own, foreign), host);
  }
  await until(async () => {
    const { text } = await service.ask("GET", "/deployments/current");
    const { apis = [], hosts } = JSON.parse(text);
    if (apis.length < rows.length) return false;
    assert.equal(hosts, { default: ["*.acme.example"], other: ["pay.acme.example"] });
    return true;
  });
  await service.close();
});

test("an assigned host is a host name without a port, and belongs to one organisation", async () => {
  const problemsOf = async (hosts: string) => {
    const text = `organisations:\n  acme: { hosts: [api.acme.example] }\n  blue: { hosts: [${hosts}] }\n`;
    const fileSystem = createMemoryFileSystem({ "management.yaml": Buffer.from(text) });
    const { diagnostics } = await readManagementSettings("management.yaml", { fileSystem });
    return diagnostics.map(({ code, span }) => {
      const { line, column } = locate(span).start;
      return `${code} ${line}:${column}`;
    });
  };
  for (const right of ["blue.example", '"*.acme.example"', "x.api.acme.example", "a.example, A.example."])
    assert.equal(await problemsOf(right), [], right);
  for (const wrong of ["blue.example:443", "https://blue.example", '"*"', '"a.*"', "10.0.0.1", "käse.de"])
    assert.equal(await problemsOf(wrong), [`GW4080 3:${wrong.startsWith('"') ? 20 : 19}`], wrong);
  assert.equal(await problemsOf('""'), ["GW4015 3:20"]);
  for (const twice of ["api.acme.example", "API.acme.example.", '"Api.Acme.Example"'])
    assert.equal(
      await problemsOf(`b.example, ${twice}`),
      [`GW4335 3:${twice.startsWith('"') ? 31 : 30}`],
      twice,
    );
});

test("versions and ids of another organisation are treated as missing", async () => {
  const service = await startTestService(await freshFile());
  await create(service, definitionOf("/secret/", { id: "secret", name: "Marker-Of-Own" }));
  const versioned = JSON.parse(definitionOf("/mine/", { id: "mine" }));
  versioned["x-gw-api-gateway"].info.versioning = {
    ...{ enabled: true, name: "v1", default: "v1", location: "header", key: "x-version" },
    versions: [{ id: "secret", name: "v2" }],
  };
  const [asVersion, absent] = [
    versioned,
    JSON.parse(JSON.stringify(versioned).replaceAll("secret", "absent")),
  ];
  const [one, two] = [
    await create(service, JSON.stringify(asVersion), other),
    await create(service, JSON.stringify(absent), other),
  ];
  assert.is(one.status, 400, one.text);
  assert.is(one.text.replaceAll("secret", "absent"), two.text);
  const taken = await create(service, definitionOf("/mine/", { id: "secret" }), other);
  assert.equal([taken.status, taken.body.Message], [409, "Found API with the same ID."]);
  assert.is((await service.ask("DELETE", `${path}/secret`)).status, 200);
  assert.is((await create(service, definitionOf("/mine/", { id: "secret" }), other)).status, 409);
  for (const [method, at] of [
    ["GET", `${path}/secret/versions`],
    ["GET", `${path}/secret/versions/1`],
    ["POST", `${path}/secret/versions/1/rollback`],
    ["GET", `${path}/secret/topology`],
    ["GET", `${path}/secret/asyncapi`],
    ["PUT", `${path}/secret`],
    ["DELETE", `${path}/secret`],
    ["POST", "/streams/secret/intake/stop"],
  ] as const) {
    const body = method === "PUT" ? definitionOf("/x/") : undefined;
    const asked = (id: string) =>
      service.ask(method, at.replace("secret", id), body, { ...ownType, ...other });
    const [there, nowhere] = [await asked("secret"), await asked("absent")];
    assert.equal([there.status, there.text], [nowhere.status, nowhere.text], `${method} ${at}`);
  }
  await service.close();
});

test("a deployment names the organisation of each API, and omits APIs no longer allowed", async () => {
  const store = await freshFile();
  const text = definitionOf("/a/", { id: "a", mapping: 'root.a = env("ACME_A")' });
  const settings = { organisations: { other: { variables: ["ACME_*"] } } };
  const apisOf = (service: TestService) =>
    service.ask("GET", "/deployments/current").then(({ text: body }) => JSON.parse(body).apis ?? []);
  const first = await startTestService(store, { settings });
  assert.is((await create(first, text, other)).status, 200);
  assert.is((await create(first, text.replaceAll("/a/", "/b/").replace('"a"', '"b"'))).status, 400);
  await until(async () => (await apisOf(first))[0]?.organisation === "other");
  await first.close();
  const second = await startTestService(store);
  await until(async () => (await apisOf(second)).length === 0);
  await second.close();
});

test("users cannot grant more than they have", async () => {
  const service = await startTestService(await freshFile());
  const make = (name: string, permissions: readonly string[], by = {}) =>
    service.ask("POST", "/users", { name, permissions }, by);
  const keyOf = ({ body }: Answer) => body.Meta as { id: string; access_key: string };
  const all = ["read", "write", "users", "gateway"];
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(all, { minLength: 0 }),
      fc.subarray(all),
      fc.subarray(all),
      fc.uuid(),
      async (others, wanted, targets, name) => {
        const own = [...new Set([...others, "users"])];
        const caller = { authorization: keyOf(await make(`c-${name}`, own)).access_key };
        const has = (each: string) => own.includes(each);
        assert.is((await make(`n-${name}`, wanted, caller)).status, wanted.every(has) ? 200 : 403);
        const { id, access_key: key } = keyOf(await make(`t-${name}`, targets));
        const renewed = await service.ask("POST", `/users/${id}/key`, undefined, caller);
        assert.is(renewed.status, targets.every(has) ? 200 : 403);
        const isOld =
          (await service.ask("GET", "/openapi.json", undefined, { authorization: key })).status === 200;
        assert.is(isOld, renewed.status === 403);
        const put = await service.ask(
          "PUT",
          `/users/${id}`,
          { name: `t-${name}`, permissions: wanted },
          caller,
        );
        const isGranted = wanted.every((each) => has(each) || targets.includes(each));
        assert.is(put.status, isGranted ? 200 : 403);
      },
    ),
    { seed: 14, numRuns: 3 },
  );
  await service.close();
});

test("the audit log identifies users, and names cannot be confused", async () => {
  const service = await startTestService(await freshFile());
  const make = (name: string, by = {}) => service.ask("POST", "/users", { name, permissions: ["users"] }, by);
  for (const name of [
    "environment key 1",
    "Environment  KEY 1",
    " ada",
    "ada ",
    "a\u200bda",
    "a\nda",
    "\uff41da",
  ])
    assert.is((await make(name)).status, 422, JSON.stringify(name));
  const { id, access_key: key } = (await make("ada")).body.Meta as { id: string; access_key: string };
  await make("bob", { authorization: key });
  await service.ask("DELETE", `/users/${id}`);
  await make("ada");
  await make("eve", other);
  const actors = async (by = {}) =>
    (await service.ask("GET", "/audit", undefined, by)).body.Data.map(({ actor, actor_id: of }) => [
      actor,
      of,
    ]);
  const environment = ["environment key 1", null];
  assert.equal(await actors(), [environment, environment, ["ada", id], environment]);
  assert.equal(await actors(other), [environment]);
  const numbers = async (by = {}) =>
    (await service.ask("GET", "/audit", undefined, by)).body.Data.map(({ number }) => number);
  assert.equal([await numbers(), await numbers(other)], [[4, 3, 2, 1], [1]]);
  await service.close();
});

test("a user of the installation sees and rolls back only its own part of deployments", async () => {
  const service = await startTestService(await freshFile());
  const made = await service.ask("POST", "/users", { name: "ada", permissions: ["read", "write"] });
  const ada = { authorization: (made.body.Meta as { access_key: string }).access_key };
  const newest = async (apis: number) =>
    until(async () => {
      const { Data } = (await service.ask("GET", "/deployments")).body;
      const { apis: there, number } = Data[0] ?? {};
      return Array.isArray(there) && there.length === apis && (number as number);
    });
  await create(service, definitionOf("/a/", { id: "a" }));
  await create(service, definitionOf("/x/", { id: "marker" }), other);
  const number = await newest(2);
  await service.ask("DELETE", `${path}/a`);
  await service.ask("DELETE", `${path}/marker`, undefined, other);
  await create(service, definitionOf("/y/", { id: "later" }), other);
  await newest(1);
  const listed = await service.ask("GET", "/deployments?p=-1", undefined, ada);
  assert.not.ok(/marker|later/.test(listed.text));
  assert.is((await service.ask("POST", `/deployments/${number}/rollback`, undefined, ada)).status, 200);
  const idsOf = async (by = {}) => {
    const { apis } = (await service.ask("GET", path, undefined, by)).body as unknown as {
      apis: { api_definition: { api_id: string } }[];
    };
    return apis.map(({ api_definition }) => api_definition.api_id);
  };
  assert.equal([await idsOf(), await idsOf(other)], [["a"], ["later"]]);
  // Another API now has the listen path of the version to restore.
  await service.ask("DELETE", `${path}/a`);
  await create(service, definitionOf("/a/b/", { id: "there" }), other);
  assert.is((await service.ask("POST", `/deployments/${number}/rollback`, undefined, ada)).status, 403);
  assert.equal(await idsOf(), []);
  await service.close();
});

test("organisations share the compiling thread round-robin, and one with many definitions delays only itself", async () => {
  const program = `
    import { parentPort } from "node:worker_threads";
    const compiled = { missing: [], diagnostics: [], isRefused: false };
    parentPort.on("message", ({ number }) => parentPort.postMessage({ number, compiled }));
    parentPort.postMessage("ready");`;
  const compiler = compilerOf(program, 60_000);
  const order: string[] = [];
  const send = (organisation: string) =>
    compiler.compile({ kind: "drawing", format: "json", text: "{}" }, organisation).then(
      () => order.push(organisation),
      ({ status }: GatewayError) => order.push(String(status)),
    );
  const sent = Array.from({ length: 70 }, () => send("many"));
  sent.push(send("one"), send("two"), send("one"));
  await Promise.all(sent);
  const refused = order.filter((each) => each === "503");
  assert.is(refused.length, 73 - 65, "one is compiled and 64 wait");
  const compiled = order.filter((each) => each !== "503");
  assert.equal(compiled.slice(0, 7), ["many", "many", "one", "two", "many", "one", "many"]);
  await compiler.close();
});

test("a definition that takes too long to check is rejected, and its thread is replaced", async () => {
  // Only the first thread never answers. Process jobs have no time limit.
  const program = `
    import { parentPort } from "node:worker_threads";
    const compiled = { missing: [], diagnostics: [], isRefused: false };
    parentPort.on("message", ({ number, job }) => {
      if (job.kind === "drawing") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      parentPort.postMessage({ number, compiled });
    });
    parentPort.postMessage("ready");`;
  const compiler = compilerOf(program, 1);
  const failure = await compiler.compile({ kind: "drawing", format: "json", text: "{}" }).then(
    () => undefined,
    ({ status, message }: GatewayError) => [status, message],
  );
  assert.equal(failure, [400, "Checking the definition takes too long."]);
  assert.is((await compiler.compile({ kind: "process" })).isRefused, false);
  await compiler.close();
});

test("the start of the compiling thread does not count as time of a definition", async () => {
  const program = `
    import { parentPort } from "node:worker_threads";
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    const compiled = { missing: [], diagnostics: [], isRefused: false };
    parentPort.on("message", ({ number }) => parentPort.postMessage({ number, compiled }));
    parentPort.postMessage("ready");`;
  const compiler = compilerOf(program, 2_000);
  const { isRefused } = await compiler.compile({ kind: "drawing", format: "json", text: "{}" });
  assert.is(isRefused, false);
  await compiler.close();
});

test("the compiling thread keeps the process alive during a job, and only then", async () => {
  const thread = `
    import { parentPort } from "node:worker_threads";
    const compiled = { missing: [], diagnostics: [], isRefused: false };
    parentPort.on("message", ({ number }) => setTimeout(() => parentPort.postMessage({ number, compiled }), 20));
    parentPort.postMessage("ready");`;
  const program = `
    import { Compiler } from ${JSON.stringify(new URL("../../management/compiling/compiler.ts", import.meta.url).href)};
    const program = new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(thread)}`)});
    const compiler = new Compiler({ program, maximumBytes: 1024, timeout: 60_000 });
    for (let job = 0; job < 2; job += 1) console.log((await compiler.compile({ kind: "process" })).isRefused);`;
  const { status, stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
    timeout: 60_000,
  });
  assert.equal([status, stdout], [0, "false\nfalse\n"], stderr);
});

/** Returns a compiler whose thread runs the program, with a time limit in milliseconds. */
function compilerOf(program: string, timeout: number): Compiler {
  return new Compiler({
    program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    maximumBytes: 1024,
    timeout,
    log: createLogger("silent"),
  });
}

test.run();
