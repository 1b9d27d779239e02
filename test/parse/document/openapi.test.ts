import { test } from "uvu";
import * as assert from "uvu/assert";
import { openapi, read } from "./reading.ts";

const versions = ["3.0.3", "3.1.1", "3.2.0"] as const;
const streams = "x-gw-streaming: { streams: {} }\n";
const fine = "responses: { '200': { description: Fine } }";

/** Resolves with the diagnostics of an OpenAPI document whose third line is the first of `body`. */
async function validate(body: string, version: string): Promise<readonly string[]> {
  return (await read({ "a.yaml": openapi(`${body}${streams}`, version) })).problems;
}

/** Mistakes that are reported the same way in every version: body, and diagnostics. */
const mistakes: readonly (readonly [name: string, body: string, expected: readonly string[]])[] = [
  [
    "a misspelt field",
    `paths:\n  /a:\n    get:\n      sumary: x\n      ${fine}\n`,
    ["a.yaml:6:7-13 GW1044 Unknown OpenAPI field `sumary` in `get`. | Did you mean `summary`?"],
  ],
  [
    "a misspelt method",
    `paths:\n  /a:\n    gett: { ${fine} }\n`,
    ["a.yaml:5:5-9 GW1044 Unknown OpenAPI field `gett` in `/a`. | Did you mean `get`?"],
  ],
  [
    "a path without slash",
    `paths:\n  a:\n    get: { ${fine} }\n`,
    ["a.yaml:4:3-4 GW1046 `a` violates the OpenAPI schema: it must start with `/`."],
  ],
  [
    "a response that is no status",
    "paths:\n  /a:\n    get: { responses: { ok: { description: Fine } } }\n",
    [
      "a.yaml:5:25-27 GW1046 `ok` violates the OpenAPI schema: it must be a status such as `200` or `4XX`, or `default`.",
    ],
  ],
  [
    "a path parameter that is not required",
    `paths:\n  /a/{id}:\n    get:\n      parameters:\n        - name: id\n          in: path\n          schema: { type: string }\n      ${fine}\n`,
    [
      "a.yaml:7:11-15 GW1043 Missing field `required` in `parameters[0]`, which OpenAPI requires. | Add `required`.",
    ],
  ],
  [
    "a parameter without schema",
    `paths:\n  /a:\n    get:\n      parameters: [{ name: id, in: query }]\n      ${fine}\n`,
    [
      "a.yaml:6:22-26 GW1043 Missing field `schema` in `parameters[0]`, which OpenAPI requires. | Add `schema`.",
    ],
  ],
  [
    "a misspelt field that is required",
    `paths:\n  /a:\n    post:\n      requestBody: { contnt: {} }\n      ${fine}\n`,
    ["a.yaml:6:22-28 GW1044 Unknown OpenAPI field `contnt` in `requestBody`. | Did you mean `content`?"],
  ],
  [
    "values of other types, all at once",
    "paths: []\nservers: { url: x }\ntags: [a]\n",
    [
      "a.yaml:3:1-6 GW1045 `paths` must be an object, not an array.",
      "a.yaml:4:1-8 GW1045 `servers` must be an array, not an object.",
      'a.yaml:5:8-9 GW1045 `tags[0]` must be an object, not a string. | Write `{ "name": "a" }`.',
    ],
  ],
  [
    "nothing but the extension",
    "",
    ["a.yaml:1:1-8 GW1043 Missing field `paths` in the document, which OpenAPI requires. | Add `paths`."],
  ],
];

for (const version of versions) {
  for (const [name, body, expected] of mistakes) {
    test(`${version}: ${name}`, async () => {
      assert.equal(await validate(body, version), expected);
    });
  }

  test(`${version}: an invalid enum value lists the allowed ones`, async () => {
    const body = `paths:\n  /a:\n    get:\n      parameters: [{ name: id, in: qurey, schema: {} }]\n      ${fine}\n`;
    const [problem = "", ...more] = await validate(body, version);
    assert.match(problem, /^a\.yaml:6:36-41 GW1046 `in` .* \| Write .*`query`.* or `cookie`\.$/);
    assert.equal(more, []);
  });

  test(`${version}: a security scheme without a field required by its type is reported`, async () => {
    const body = "paths: {}\ncomponents:\n  securitySchemes:\n    key: { type: apiKey, name: x }\n";
    assert.equal(await validate(body, version), [
      "a.yaml:6:5-8 GW1043 Missing field `in` in `key`, which OpenAPI requires. | Add `in`.",
    ]);
  });

  test(`${version}: a version number without quotes is reported`, async () => {
    const text = `openapi: ${version}\ninfo: { title: a, version: 1.0 }\npaths: {}\n${streams}`;
    assert.equal((await read({ "a.yaml": text })).problems, [
      'a.yaml:2:28-31 GW1045 `version` must be a string, not a number. | Quote it: `"1.0"`.',
    ]);
  });

  test(`${version}: a version number beyond the exact range is quoted in the hint`, async () => {
    const text = `openapi: ${version}\ninfo: { title: a, version: 9007199254740993 }\npaths: {}\n${streams}`;
    assert.equal((await read({ "a.yaml": text })).problems, [
      'a.yaml:2:28-44 GW1045 `version` must be a string, not a number. | Quote it: `"9007199254740993"`.',
    ]);
  });

  test(`${version}: the version field of another specification is an unknown field, with any value`, async () => {
    for (const value of ["'2.0'", "2.0", "9007199254740993", "x", "true", "[]", "{}", "null"])
      assert.equal(
        await validate(`paths: {}\nswagger: ${value}\n`, version),
        [
          "a.yaml:4:1-8 GW1044 Unknown OpenAPI field `swagger` in the document. | Remove it, or prefix its name with `x-` to make it an extension.",
        ],
        value,
      );
  });

  test(`${version}: a mistake in another file is reported in that file`, async () => {
    const files = {
      "a.yaml": openapi(`paths:\n  /a: { $ref: 'other.yaml#/item' }\n${streams}`, version),
      "other.yaml": `item:\n  get:\n    ${fine}\n    sumary: x\n`,
    };
    assert.equal((await read(files)).problems, [
      "other.yaml:4:5-11 GW1044 Unknown OpenAPI field `sumary` in `get`. | Did you mean `summary`?",
    ]);
  });

  test(`${version}: a path may refer to another path of the document`, async () => {
    const body = `paths:\n  /a: { get: { ${fine} } }\n  /b: { $ref: "#/paths/~1a", summary: Same }\n`;
    assert.equal(await validate(body, version), []);
  });

  test(`${version}: circular schemas are accepted, in the document and in other files`, async () => {
    const body = `paths: {}
components:
  schemas:
    A: { type: object, properties: { a: { $ref: '#/components/schemas/A' }, b: { $ref: 'b.yaml' } } }
${streams}`;
    const files = {
      "a.yaml": openapi(body, version),
      "b.yaml": "type: object\nproperties: { b: { $ref: b.yaml } }\n",
    };
    assert.equal((await read(files)).problems, []);
  });
}

test("3.0 validates schemas", async () => {
  const body =
    "paths: {}\ncomponents:\n  schemas:\n    A:\n      properties: { x: { type: strng }, y: { items: { minLengt: 1 } } }\n";
  assert.equal(await validate(body, "3.0.4"), [
    "a.yaml:7:32-37 GW1046 `type` violates the OpenAPI schema: it must be one of the allowed values. | Write `string`.",
    "a.yaml:7:55-63 GW1044 Unknown OpenAPI field `minLengt` in `items`. | Did you mean `minLength`?",
  ]);
});

test("3.1 accepts documents without paths that have webhooks or components", async () => {
  assert.equal(await validate("components: {}\n", "3.1.0"), []);
  assert.equal(await validate("webhooks: {}\n", "3.1.2"), []);
});

test("3.2 accepts the query method, additional operations and itemSchema", async () => {
  const body = `paths:
  /a:
    query: { ${fine} }
    additionalOperations: { COPY: { ${fine} } }
    get:
      responses:
        "200": { description: x, content: { text/event-stream: { itemSchema: { type: object } } } }
`;
  assert.equal(await validate(body, "3.2.0"), []);
  assert.match((await validate(body, "3.1.1")).join("\n"), /`query`/);
});

test("a field of a later version does not suggest itself", async () => {
  const body = `paths:
  /a:
    get:
      responses:
        "200": { description: x, content: { text/event-stream: { itemSchema: {} } } }
`;
  assert.equal(await validate(body, "3.1.1"), [
    "a.yaml:7:66-76 GW1044 Unknown OpenAPI field `itemSchema` in `text/event-stream`. | Remove it, or prefix its name with `x-` to make it an extension.",
  ]);
});

test.run();
