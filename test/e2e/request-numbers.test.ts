// Numbers that JavaScript reads as others are validated as they are written, as the receiver of a request may read them.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";

/** Schemas, with numbers that fit and numbers that do not. */
const rows: readonly (readonly [schema: string, fit: readonly string[], others: readonly string[]])[] = [
  ['"maximum":9007199254740992', ["9007199254740992", "-1e400"], ["9007199254740993", "1e400"]],
  ['"maximum":9007199254740993', ["9007199254740993"], ["9007199254740994"]],
  ['"maximum":9223372036854775807', ["9223372036854775807"], ["9223372036854775808"]],
  ['"minimum":-9223372036854775808', ["-9223372036854775808"], ["-9223372036854775809"]],
  ['"exclusiveMaximum":9223372036854775808', ["9223372036854775807"], ["9223372036854775808"]],
  ['"exclusiveMinimum":0', ["1e-400", "0.1"], ["0.0", "-0", "-1e-400"]],
  ['"maximum":10', ["10", "10.0", "1e1", "1E+01"], ["10.000000000000000000000001", "1e2"]],
  ['"multipleOf":0.01', ["19.99", "4.35", "0", "-0.29", "1e20"], ["4.351", "4.35000000000000000000001"]],
  ['"multipleOf":3', ["6", "900719925474099300000000000000000003"], ["7", "9007199254740994", "1.5", "3e-1"]],
  ['"multipleOf":0.5', ["1e308", "1.5", "-2"], ["0.25"]],
  ['"enum":[9007199254740993,1]', ["9007199254740993", "1", "1.0"], ["9007199254740992", "2"]],
  ['"const":9007199254740992', ["9007199254740992"], ["9007199254740993", "9007199254740991"]],
  ['"maxLength":9223372036854775807', ["1"], []],
  [
    '"format":"int64"',
    ["9223372036854775807", "-9223372036854775808", "1.0", "9007199254740993e0"],
    [
      "9223372036854775808",
      "-9223372036854775809",
      "1.5",
      "1.00000000000000000001",
      "9007199254740993.5",
      "1e400",
    ],
  ],
  ['"format":"int64","maximum":10', ["10", "-9223372036854775808"], ["11", "-9223372036854775809"]],
  ['"format":"int64","maximum":1e30', ["9223372036854775807"], ["9223372036854775808"]],
];

const operations = rows.map(
  ([schema], index) => `"/n${index}": {
    "post": {
      "requestBody": { "content": {
        "application/json": { "schema": { "items": { "anyOf": [{ "items": { ${schema} } }] } } },
        "application/x-www-form-urlencoded": {
          "schema": { "properties": { "n": { "type": "number", ${schema} } } }
        }
      } },
      "parameters": [{ "name": "n", "in": "query", "schema": { "type": "number", ${schema} } }],
      "responses": { "200": { "description": "ok" } }
    }
  }`,
);

const document = `{
  "openapi": "3.1.0",
  "info": { "title": "Numbers", "version": "1" },
  "paths": {
    ${operations},
    "/unique": {
      "post": {
        "requestBody": { "content": {
          "application/json": { "schema": { "items": { "anyOf": [{ "type": "array", "uniqueItems": true }] } } },
          "application/x-www-form-urlencoded": { "schema": {
            "properties": { "n": { "type": "array", "uniqueItems": true, "items": { "type": "integer" } } }
          } }
        } },
        "responses": { "200": { "description": "ok" } }
      }
    }
  },
  "x-gw-api-gateway": {
    "info": { "name": "Numbers", "state": { "active": true } },
    "server": { "listenPath": { "value": "/" } },
    "upstream": { "url": "\${UPSTREAM}" },
    "middleware": { "global": { "validateRequest": { "enabled": true } } }
  }
}`;

const upstream = await httpServer();
const compiled = await compileDocuments(["numbers.json"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({ "numbers.json": document }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
  log: createLogger("silent"),
});

test.after(async () => {
  await gateway.close();
  await upstream.close();
});

async function send(path: string, body?: string, type = "application/json"): Promise<readonly string[]> {
  const response = await fetch(gateway.addresses.gateway + path, {
    method: "POST",
    ...(body !== undefined && { body, headers: { "content-type": type } }),
  });
  const text = await response.text();
  if (response.status === 200) return [];
  assert.is(response.status, 422, text);
  const { faults }: { readonly faults: readonly { readonly pointer: string }[] } = JSON.parse(text);
  return faults.map(({ pointer }) => pointer);
}

for (const [index, [schema, fit, others]] of rows.entries()) {
  test(`number: ${schema}`, async () => {
    for (const number of [...fit, ...others]) {
      const isFit = fit.includes(number);
      // Other numbers before it, of which the schema has the same values.
      const bodyFaults = await send(`/n${index}`, `[[${fit}], [${fit[0]}, ${number}]]`);
      assert.equal(bodyFaults.slice(0, 1), isFit ? [] : ["/body/1/1"], number);
      if (/e-?400$/.test(number)) continue; // too large or too small for parameters
      assert.is((await send(`/n${index}?n=${encodeURIComponent(number)}`)).length, isFit ? 0 : 1, number);
      const form = await send(
        `/n${index}`,
        `n=${encodeURIComponent(number)}`,
        "application/x-www-form-urlencoded",
      );
      assert.equal(form, isFit ? [] : ["/body/n"], number);
    }
  });
}

test("number: items are unique as they are written", async () => {
  const rows: readonly (readonly [items: string, isUnique: boolean])[] = [
    ["9007199254740993,9007199254740992", true],
    ["9007199254740993,9007199254740993.0", false],
    ["9007199254740993,1,1.0", false],
    ['{"id":9007199254740993},{"id":9007199254740992}', true],
    ['{"id":9007199254740993},{"id":90071992547409930e-1}', false],
    ["1e400,null,1e401,[1e400]", true],
    ["0,-0", false],
    ["0,-0.00000000000000000000", false],
  ];
  for (const [items, isUnique] of rows)
    assert.equal((await send("/unique", `[[], [${items}]]`)).slice(0, 1), isUnique ? [] : ["/body/1"], items);
  const form = "application/x-www-form-urlencoded";
  assert.equal(await send("/unique", "n=9007199254740993&n=9007199254740992", form), []);
  assert.equal(await send("/unique", "n=9007199254740993&n=9007199254740993", form), ["/body/n"]);
});

test("number: a million digits take no time", async () => {
  const zeros = "0".repeat(900_000);
  const started = process.cpuUsage();
  assert.ok((await send("/n0", `[[1${zeros}]]`)).length > 0);
  assert.equal(await send("/n6", `[[10.${zeros}]]`), []);
  assert.ok((await send("/n8", `[[3.${zeros}1]]`)).length > 0);
  assert.equal(await send("/unique", `[[3.${zeros}1, 3]]`), []);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 3_000_000, `${user} µs`);
});

test.run();
