import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { run } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";

const settings = `streaming: { enabled: true }
apis: [orders.yaml]
listen: { address: "127.0.0.1:\${PORT:0}", tls: { cert_file: "\${CERTIFICATE}", key_file: "\${CERTIFICATE_KEY}" } }
admin: { listen: "127.0.0.1:\${ADMIN_PORT:0}" }
trusted_proxies: ["\${PROXY}"]
limits: { max_body_bytes: "\${LARGEST:1000}" }
redis: { url: "\${REDIS}" }
store: "\${STORE}"
portal: { enabled: true, organisation: "\${ORGANISATION}", smtp: { from: portal@example.com } }
webhooks: { max_attempts: "\${ATTEMPTS:5}" }
analytics: { opentelemetry: { endpoint: "\${COLLECTOR}" } }
policies: [{ id: all, rate: 10, per: 1, access_rights: { orders: {} } }]
keys: [{ alias: shop, key_hash: "\${SHOP_KEY_HASH}", apply_policies: [all] }]

`;

const api = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths: {}
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }
security: [{ key: [] }]
x-gw-api-gateway:
  info: { id: orders }
  server:
    listenPath: { value: /orders/ }
    customDomain: { enabled: true, name: "\${HOST_NAME}" }
    authentication: { enabled: true, securitySchemes: { key: { enabled: true } } }
    ipAccessControl: { enabled: true, allow: ["\${OFFICE}"] }
  upstream: { url: "\${UPSTREAM}" }
  middleware: { global: { cors: { enabled: true, allowedOrigins: ["\${PAGE}"] } } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /in, timeout: "\${PATIENCE:5s}" } }
      pipeline:
        processors:
          - mapping: root.region = env("REGION").or("north")
      output: { mqtt: { urls: ["\${BROKER}"], topic: a, password: "\${file:/run/secrets/that-nobody-mounted}", user: "\${USER_NAME:u}" } }
`;

/** Values for required variables; those not listed accept any text. */
const suitable: Readonly<Record<string, string>> = {
  BROKER: "mqtt://127.0.0.1:1",
  COLLECTOR: "http://127.0.0.1:1",
  GW_SMTP_URL: "smtp://127.0.0.1:1",
  HOST_NAME: "orders.example.com",
  OFFICE: "10.0.0.0/8",
  PAGE: "https://example.com",
  PROXY: "10.0.0.1",
  REDIS: "redis://127.0.0.1:1",
  SHOP_KEY_HASH: "a".repeat(64),
  STORE: "sqlite:./gateway.db",
  UPSTREAM: "http://127.0.0.1:1",
};

const secret = "/run/secrets/that-nobody-mounted";

/** Starts a gateway with the variables it has requested so far, until it requests no more; returns all requested names. */
async function askedFor(
  cwd: string,
  given: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ["out/gateway.mjs"], { cwd, env: given });
  const { problems }: { problems: readonly string[] } = JSON.parse(stdout);
  const names = problems.flatMap((problem) => /^(\w+)(?: \([^()]+\))? is not set$/.exec(problem)?.[1] ?? []);
  if (names.length > 0) {
    const more = Object.fromEntries(names.map((name) => [name, suitable[name] ?? "given"]));
    return askedFor(cwd, { ...given, ...more });
  }
  assert.ok(
    problems.some((problem) => problem.startsWith(`${secret} `)),
    stdout,
  );
  return Object.keys(given);
}

test("the manifest lists every variable and secret file that the gateway reads", async () => {
  const cwd = folderWith({ "gateway.yaml": settings, "orders.yaml": api });
  const outcome = await warmSluice(["build", "gateway.yaml", "-o", "out"], { cwd });
  assert.equal(outcome, { status: 0, stdout: "", stderr: "" });
  const manifest = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  const variables: readonly { name: string; required: boolean }[] = manifest.environment;
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  assert.equal(required, (await askedFor(cwd)).toSorted());
  assert.equal(
    variables.map(({ name }) => name).filter((name) => !required.includes(name)),
    [
      ...["ADMIN_PORT", "ATTEMPTS", "GW_PORTAL_LISTEN", "GW_REDIS_URL", "GW_STORE_URL"],
      ...["GW_WEBHOOK_SECRETS_KEY", "LARGEST", "PATIENCE", "PORT", "REGION", "USER_NAME"],
    ],
  );
  assert.equal(manifest.secretFiles, [secret]);
});

test("a portal without a configured store and mail server reads them from the environment", async () => {
  const text = settings.replace(/^(?!streaming|apis|portal).*\n/gm, "").replace("${ORGANISATION}", "acme");
  const plain =
    "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: {}\nx-gw-api-gateway: { info: { id: a } }\n";
  const cwd = folderWith({ "gateway.yaml": text, "orders.yaml": plain });
  assert.is((await warmSluice(["build", "gateway.yaml", "-o", "out"], { cwd })).status, 0);
  const { environment } = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  const required = environment.filter((variable: { required: boolean }) => variable.required);
  assert.equal(
    required.map(({ name }: { name: string }) => name),
    ["GW_PORTAL_ACCESS_TOKENS", "GW_SMTP_URL", "GW_STORE_URL"],
  );
});

test("the manifest lists the keys that may call an API: own rights apply where no policy grants any", async () => {
  const orders = "access_rights: { orders: {} }";
  const keys = [
    ["own", orders],
    ["by its policy", "apply_policies: [readers]"],
    ["own beside a policy without rights", `apply_policies: [limits], ${orders}`],
    ["own beside rights of a policy", `apply_policies: [others], ${orders}`],
    ["of another API", "access_rights: { others: {} }"],
    ["without any", ""],
  ].map(([alias, rest], index) => `  - { alias: ${alias}, key_hash: "${`${index}`.repeat(64)}", ${rest} }`);
  const gateway = `apis: [orders.yaml, others.yaml]
policies:
  - { id: readers, ${orders} }
  - { id: others, access_rights: { others: {} } }
  - { id: limits, rate: 10, per: 1 }
keys:
${keys.join("\n")}
`;
  const apiOf = (id: string) => `openapi: 3.1.0
info: { title: A, version: "1" }
paths: {}
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }
security: [{ key: [] }]
x-gw-api-gateway: { info: { id: ${id} }, server: { listenPath: { value: /${id}/ } } }
`;
  const cwd = folderWith({
    "gateway.yaml": gateway,
    "orders.yaml": apiOf("orders"),
    "others.yaml": apiOf("others"),
  });
  const outcome = await warmSluice(["build", "gateway.yaml", "-o", "out"], { cwd });
  assert.is(outcome.status, 0, outcome.stdout + outcome.stderr);
  const { apis } = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  assert.equal(apis[0].access.policies, ["readers"]);
  assert.equal(apis[0].access.keys, [
    "own",
    "by its policy",
    "own beside a policy without rights",
    "without any",
  ]);
});

test("the manifest lists the schemes and scopes that each route requires", async () => {
  const scoped = `openapi: 3.1.0
info: { title: Rides, version: "1" }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
    token: { type: http, scheme: bearer, bearerFormat: JWT }
security: [{ key: [] }]
paths:
  /positions:
    post: { security: [{ token: ["position:write", "ride:read"], key: [] }, { token: ["admin"] }], responses: {} }
    get: { security: [{ token: [] }, {}], responses: {} }
  /open:
    get: { security: [], responses: {} }
x-gw-api-gateway:
  info: { id: rides }
  server:
    listenPath: { value: /rides/ }
    authentication:
      securitySchemes:
        key: { enabled: true }
        token: { enabled: true, signingMethod: rsa, source: https://login.example.com/jwks.json, allowedIssuers: [a], allowedAudiences: [b] }
x-gw-streaming:
  streams:
    positions:
      input: { http_server: { path: /positions } }
      output: { http_server: { path: /others } }
`;
  const cwd = folderWith({ "rides.yaml": scoped });
  const outcome = await warmSluice(["build", "rides.yaml", "-o", "out"], { cwd });
  assert.is(outcome.status, 0, outcome.stderr);
  const { apis } = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  const positions = [{ token: ["position:write", "ride:read"], key: [] }, { token: ["admin"] }];
  const key = [{ key: [] }];
  assert.equal(apis[0].streams[0].routes, [
    { transport: "http", verbs: ["POST"], path: "/rides/positions", callers: { POST: positions } },
    { transport: "http", verbs: ["GET"], path: "/rides/others", callers: { GET: key } },
    { transport: "websocket", verbs: [], path: "/rides/others", callers: { GET: key } },
  ]);
  assert.equal(apis[0].access, {
    callers: key,
    operations: [
      { verb: "POST", path: "/positions", callers: positions },
      { verb: "GET", path: "/positions", callers: [{ token: [] }, {}] },
      { verb: "GET", path: "/open", callers: "open" },
    ],
    policies: [],
    keys: [],
    protections: ["authentication", "access_rights", "rate_limits", "connection_limits", "message_limits"],
  });
});

test.run();
