import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { checkDocuments as check } from "../../compiler/compile.ts";
import { renderGithub } from "../../compiler/diagnostics/render/github.ts";
import { renderJson } from "../../compiler/diagnostics/render/json.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { renderSarif } from "../../compiler/diagnostics/render/sarif.ts";
import { isSecretName } from "../../compiler/diagnostics/secrets/names.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createSourceFile, type SourceFile, spanOf } from "../../compiler/source/source.ts";
import { projectRoot } from "../harness/directories.ts";

const hiddenSign = "•";
const marker = "s3cretM4rker";

async function everyRendering(files: Readonly<Record<string, string>>, first: string): Promise<string> {
  const { diagnostics } = await check([first], { fileSystem: createMemoryFileSystem(files) });
  return [renderPretty(diagnostics, { color: false }), renderJson, renderSarif, renderGithub]
    .map((render) => (typeof render === "string" ? render : render(diagnostics)))
    .join("\n");
}

/** Names of fields that the schemas mark, but for addresses, in which only the password is a secret. */
function markedNames(): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown, name: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("x-secret" in value && value["x-secret"] === true) names.add(name);
    for (const [key, inner] of Object.entries(value)) collect(inner, key);
  };
  for (const path of globSync("schemas/**/*.json", { cwd: projectRoot }))
    collect(JSON.parse(readFileSync(join(projectRoot, path), "utf8")), "");
  return [...names].filter(
    (name) => !["additionalProperties", "key", "postgres", "redis", "source", "store", "url"].includes(name),
  );
}

test("every field that schemas mark as a secret is recognised by its name", () => {
  const names = markedNames();
  assert.ok(names.length > 8);
  assert.equal(
    names.filter((name) => !isSecretName(name)),
    [],
  );
});

test("names of tokens, codes and sessions are recognised in any spelling, and words that contain them are not", () => {
  const named = ["jwt", "userJwt", "otp", "sms-otp", "bearer", "x-signature", "salt", "password_salt"];
  const others = ["desalted", "saltwater", "option", "bearerFormat", "signatureMethod", "assertions_count"];
  const secrets = [...named, "session_id", "SessionId", "client_assertion", "saml-assertions"];
  assert.equal([secrets.filter((name) => !isSecretName(name)), others.filter(isSecretName)], [[], []]);
});

test("every method with a key or a secret is known to the search for secrets", () => {
  const keys = /^(?:key|\w+_secret)$/;
  const methods = coreBuiltins.builtins.filter(
    ({ module, parameters }) =>
      /^(?:encryption|jwt|passwords|hashing)\.ts$/.test(module) &&
      parameters.some(({ name }) => keys.test(name)),
  );
  assert.ok(methods.length > 20);
  for (const { name, parameters } of methods) {
    const given = parameters.map((arg) => (keys.test(arg.name) ? `"${marker}"` : '"orders"'));
    const call = `root.a = this.b.${name}(${given.join(", ")})`;
    assert.not.match(shown(call), marker, call);
  }
});

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
components: { securitySchemes: { token: { type: http, scheme: bearer, bearerFormat: JWT } } }
security: [{ token: [] }]
x-gw-api-gateway:
  info: { name: orders, state: { active: true } }
  server:
    listenPath: { value: /orders/ }
    authentication:
      enabled: true
      securitySchemes:
        token:
          enabled: true
          signingMethod: hmac
          source: ${marker}
  upstream: { url: "http://me:${marker}@localhost:9000" }
x-gw-streaming:
  streams:
    orders:
      input:
        mqtt:
          urls: ["tcp://shop:${marker}@localhost:1883"]
          topics: [orders]
          user: shop
          password: "\${PASSWORD:${marker}}"
          tls: { enabled: true, client_certs: [{ cert: c, key: ${marker} }] }
      output:
        http_client:
          url: "https://shop:${marker}@example.com/a"
          verb: POST
          headers: { Authorization: "Bearer ${marker}", X-Api-Key: ${marker} }
          oauth2: { enabled: true, client_key: a, client_secret: '${marker}', token_url: "https://example.com" }
          oauth:
            enabled: true
            consumer_secret: >-
              ${marker}
            access_token: ${marker}
            access_token_secret: ${marker}
`;

test("no renderer shows a secret, even of a broken document", async () => {
  assert.not.match(await everyRendering({ "api.yaml": document }, "api.yaml"), marker);
  const lines = document.split("\n");
  const mistake = fc.record({
    at: fc.nat({ max: lines.length - 1 }),
    how: fc.constantFrom<(line: string) => string>(
      (line) => line.replace(/: /, ":: "),
      (line) => line.replace(/: /, " "),
      (line) => line.replace(/[}\]]/, ""),
      (line) => line.replace(/[{[]/, ""),
      (line) => line.replace(/"/, ""),
      (line) => ` ${line}`,
      (line) => `\t${line}`,
      (line) => line.slice(1),
      (line) => `${line} }`,
      (line) => `${line}\n${line}`,
      (line) => line.replace(/(\w+):/, "$1x:"),
      (line) => line.replace(/: .*$/, ": 7"),
      () => "",
    ),
  });
  await fc.assert(
    fc.asyncProperty(mistake, async ({ at, how }) => {
      // A mistake that takes the field's name away leaves a text that nothing tells from any other.
      if (
        how(lines[at] ?? "").includes(marker) &&
        how(lines[at] ?? "") !== lines[at] &&
        lines[at]?.includes(marker)
      )
        return;
      const broken = lines.map((line, index) => (index === at ? how(line) : line)).join("\n");
      assert.not.match(await everyRendering({ "api.yaml": broken }, "api.yaml"), marker);
    }),
    { seed: 15, numRuns: 80 },
  );
});

/** What of a text is shown of a document that has it. */
function shown(text: string): string {
  const file = createSourceFile("api.yaml", text);
  return text
    .split("\n")
    .map((_, index) => renderLine(file, index + 1))
    .join("\n");
}

function renderLine(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1] ?? 0;
  const span = spanOf(file, start, start);
  return renderPretty([{ code: "GW1010", severity: "error", message: "", span }], {
    color: false,
    width: 400,
  });
}

const hidden = [
  `pasword: ${marker}`,
  `passwrod: ${marker}`,
  `tokn: ${marker}`,
  `clientSecrt: ${marker}`,
  `client_secrt: "${marker}"`,
  `acess_token: ${marker}`,
  `auhtorization: Bearer ${marker}`,
  `apikye: ${marker}`,
  `"pass\\u0077ord": "${marker}"`,
  `PASSWORD: ${marker}`,
  `db-password: ${marker}`,
  `dsn: user:${marker}@tcp(localhost)/db`,
  `connection_string: Server=a;Password=${marker};`,
  `dsn: file:./orders.db?_auth_pass=${marker}`,
  `dsn: file:./orders.db, ${marker}`,
  `dsn: file:./orders.db ${marker}`,
  `dsn: "file:./orders.db:${marker}"`,
  `dsn: file:./orders.db#${marker}`,
  `X-Api-Key: ${marker}`,
  `Proxy-Authorization: Basic ${marker}`,
  `headers: [{ name: Authorization, value: ${marker} }]`,
  `endpoint_params: { audience: [${marker}], other: ["${marker}"] }`,
  `endpoint_params:\n  audience:\n    - a\n    - ${marker}`,
  `password: >-\n${marker}`,
  `password:\n${marker}`,
  `passwords:\n- ${marker}\n- ${marker}`,
  `password: a, ${marker}`,
  `{ password: [a, ${marker}] }`,
  `{ user: a, password ${marker} }`,
  `{ password: { a: ${marker}, user: a, url: nats://b }`,
  `client_certs: [ { cert: text, key: { a: \${! ${marker} }, cert_file: ./a.pem, name: a, enabled: true } ]`,
  `password = ${marker}`,
  `password: "a" ${marker}`,
  `password: "\${A}${marker}"`,
  `password: *shared\nother: &shared ${marker}`,
  `url: https://example.com/a?access_token=${marker}&b=1`,
  `url: https://example.com/a?b=1&code=${marker}`,
  `url: https://example.com/a?key=${marker}`,
  `url: https://example.com/a?b=1&api_key=${marker}`,
  `url: nats://${marker}@localhost`,
  `url: redis://:${marker}@localhost`,
  `url: redis://:a/${marker}@localhost`,
  `url: shop:${marker}@localhost`,
  `url: https://example.com/\${TOKEN:${marker}}`,
  `mapping: 'root.password = "${marker}"'`,
  `mapping: root.a = this.b.hash("hmac_sha256", "${marker}")`,
  `mapping: root.a = this.b.hash(key: "${marker}", algorithm: "hmac_sha256"`,
  `mapping: 'root.a = this.b.encrypt_aes("ctr", this.key.or("${marker}"), "iv")'`,
  `mapping: "root.a = this.b.sign_jwt_hs256(\\"${marker}\\")"`,
  `mapping: |\n  root.a = this.b.parse_jwt_hs512(\n    "${marker}",\n  )`,
  `mapping: root.a = "a".compare_argon2("${marker}`,
  `query: "SELECT id FROM users WHERE password = '${marker}' AND id = $1"`,
  `mapping: root.a = env("DB_PASSWORD").or("${marker}")`,
  `text: |\n  -----BEGIN EC PRIVATE KEY-----\n  ${marker}\n  -----END EC PRIVATE KEY-----`,
];

for (const text of hidden) {
  test(`a secret is hidden in ${JSON.stringify(text).replaceAll(marker, "…")}`, () => {
    assert.not.ok(shown(text).includes(marker), shown(text));
  });
}

test("a secret that is a name of a component does not hide the name elsewhere", async () => {
  const text = document
    .replaceAll(marker, "mqtt")
    .replace(
      "      input:\n        mqtt:",
      "      inputs: {}\n      input:\n        mqtt_x: {}\n        mqtt:",
    );
  const found = await everyRendering(
    { "api.yaml": text.replace(`"\${PASSWORD:mqtt}"`, "[mqtt]") },
    "api.yaml",
  );
  assert.match(found, "`mqtt`");
  assert.match(found, "`mqtt_x`");
  assert.not.match(found, "[mqtt]");
});

const plain = [
  "sockets: { input: { kafka: { topics: [orders] } } }",
  "broken:\n  input: orders",
  "topic: orders",
  "key: orders",
  "token_url: https://example.com/orders",
  'sql_insert: { driver: sqlite, dsn: "file:./orders.db", table: orders }',
  "dsn: file:./orders.db # orders",
  "data_source_name: ':memory:'",
  'password: "${ORDERS}"',
  "password: { type: string, description: orders }",
  "password: { description: orders, minLength: 4, type: string }",
  "password: { oneOf: [{ $ref: orders }] }",
  "token: { enum: [orders] }",
  "source: { type: string, description: orders }",
  "source: orders",
  "{ content: { source: orders, at: 1 } }",
  "source:\n  oneOf:\n    - { type: object, required: [orders], properties: { kind: { const: orders } } }",
  "credentials:\n  url: orders",
  "{ authorization: { enabled: true, header: orders } }",
  "url: https://example.com:80/orders@home",
  "mapping: root.token = this.orders",
  "Content-Type: text/orders",
  'mapping: root.a = this.b.hash("orders", env("ORDERS_KEY"))',
  'mapping: root.a = this.b.hash("crc32", polynomial: "orders")',
  'mapping: root.a = this.b.decrypt_aes("ctr", this.keys.get("orders"), this.get("orders"))',
  'mapping: root.a = env("PLACE").or("orders")',
];

for (const text of plain) {
  test(`nothing is hidden in ${JSON.stringify(text)}`, () => assert.not.match(shown(text), hiddenSign));
}

test("two-letter secrets are hidden only where they occur as a secret", async () => {
  const text = document.replace(`"\${PASSWORD:${marker}}"`, "[ab]").replaceAll(marker, "shopping");
  const found = await everyRendering({ "api.yaml": text }, "api.yaml");
  assert.not.match(found, "[ab]");
  assert.match(found, "GW4012");
  assert.match(found, /GW4081: `\w+` contains a secret/);
});

test("an imported file is quoted only if it is a mapping", async () => {
  const importing = (statement: string) => `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /orders } }
      pipeline: { processors: [{ mapping: '${statement}' }] }
      output: { drop: {} }
`;
  const files = {
    ".env": `DATABASE_PASSWORD=${marker}\n`,
    passwd: `root:x:0:0:${marker}\n`,
    "keys.pem": `-----BEGIN PRIVATE KEY-----\n${marker}\n`,
    "notes.txt": `root.a = ${marker}(\n`,
  };
  for (const name of Object.keys(files))
    for (const statement of [`from "./${name}"`, `import "./${name}"`]) {
      const shown = await everyRendering({ ...files, "api.yaml": importing(statement) }, "api.yaml");
      assert.match(shown, "GW3010");
      assert.not.match(shown, marker);
    }
});

/** Files that somebody may name by mistake, or to see what is in them. */
const foreign = {
  ".env": `PASSWORD_OF_SHOP=${marker}\n`,
  "env.yaml": `SHOP=${marker}\nORDERS=${marker}\n`,
  "keys.yaml": `-----BEGIN PRIVATE KEY-----\n${marker}\n-----END PRIVATE KEY-----\n`,
  "token.yaml": `${marker}\n`,
  "words.yaml": `the word is ${marker}\n`,
  "cluster.yaml": `apiVersion: v1\nkind: Secret\ndata:\n  shop: [${marker}\n`,
  "token.json": marker,
  "words.json": `the word is ${marker}`,
  passwd: `root:x:0:0:${marker}:/root\n`,
  "notes.txt": `shop: ${marker} [\n`,
};

/** Ways to name a file, as the parts of a document that do. */
const references: Readonly<Record<string, (file: string) => Readonly<Record<string, string>>>> = {
  reference: (file) => ({ input: `{ $ref: ./${file} }` }),
  path: (file) => ({ paths: `{ /orders: { $ref: ./${file} } }` }),
  response: (file) => ({ paths: `{ /orders: { get: { responses: { "200": { $ref: "./${file}#/a" } } } } }` }),
  import: (file) => ({ processor: `{ mapping: 'import "./${file}"' }` }),
  from: (file) => ({ processor: `{ mapping: 'from "./${file}"' }` }),
  schema: (file) => ({ processor: `{ json_schema: { schema_path: "file://./${file}" } }` }),
  certificates: (file) => ({
    input: `{ nats: { urls: ["nats://a:4222"], subject: a, tls: { enabled: true, root_cas_file: ./${file}, client_certs: [{ cert_file: ./${file}, key_file: ./${file} }] } } }`,
  }),
};

for (const [way, write] of Object.entries(references)) {
  test(`a file that is not a document is not quoted when referenced as ${way}`, async () => {
    for (const file of Object.keys(foreign)) {
      const { paths = "{}", input = "{ generate: { mapping: root = 1 } }", processor } = write(file);
      const api = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: ${paths}
x-gw-streaming:
  streams:
    orders:
      input: ${input}
      pipeline: { processors: [${processor ?? "{ mapping: root = this }"}] }
      output: { drop: {} }
`;
      const found = await everyRendering({ ...foreign, "api.yaml": api }, "api.yaml");
      assert.not.match(found, marker);
    }
  });
}

test("a file that is not a document is not quoted when a set lists it", async () => {
  for (const file of Object.keys(foreign)) {
    const set = `apis: [./${file}]\nstreaming: { enabled: true }\n`;
    const found = await everyRendering({ ...foreign, "gateway.yaml": set }, "gateway.yaml");
    assert.match(found, "GW1");
    assert.not.match(found, marker);
  }
});

test.run();
