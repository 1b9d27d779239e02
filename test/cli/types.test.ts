import { test } from "uvu";
import * as assert from "uvu/assert";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt, relay } from "./documents.ts";

const orders = `openapi: 3.1.1
info: { title: Orders, version: "1" }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input:
        http_server: { path: /in }
        schema:
          type: object
          required: [id, lines]
          properties:
            id: { type: string }
            customer: {}
            lines: { type: array, items: { $ref: "#/components/schemas/Line" } }
      pipeline:
        processors:
          - label: enrich
            mapping: |
              root.id = this.id
              root.lines = this.lines
              root.size = this.lines.length()
              root.price = 10 / this.lines.length()
              root.description_of_the_customer_as_it_was_given = this.customer
              meta region = "eu"
          - switch:
              cases:
                - check: this.size > 10
                  processors:
                    - mapping: root.large = true
      output:
        nats: { urls: ["nats://127.0.0.1:4222"], subject: orders }
    relay:
      input: { http_server: { path: /other } }
      output: { http_server: { path: /fed } }
components:
  schemas:
    Line:
      type: object
      properties: { sku: { type: string }, parts: { type: array, items: { $ref: "#/components/schemas/Line" } } }
`;
const cwd = folderWith({
  "orders.yaml": orders,
  "relay.yaml": relay("/third").replace("paths: {}", "servers: [{ url: /relay }]\npaths: {}"),
  "misspelt.yaml": misspelt,
});
const received =
  "http_server_user_agent: string, http_server_request_path: string, http_server_verb: string, http_server_remote_ip: string";

test("each step has its location, type, changed metadata and possible failures", async () => {
  const { status, stdout, stderr } = await warmSluice(["types", "orders.yaml", "--stream", "intake"], {
    cwd,
  });
  assert.equal([status, stderr], [0, ""]);
  assert.is(
    stdout,
    `orders.yaml: stream intake

input  http_server  orders.yaml:8
  { id: string, customer?: unknown, lines: Line[], … }
  metadata: ${received}, …

processors[0].mapping  "enrich"  orders.yaml:19
  {
    id: string,
    lines: Line[],
    size: integer,
    price: number,
    description_of_the_customer_as_it_was_given: unknown,
  }
  metadata: ${received}, region: "eu", …
  can fail: orders.yaml:23: the divisor may be zero; the message goes to the input (rejected)

processors[1].switch.cases[0].processors[0].mapping  orders.yaml:30
  { large: true }

processors[1].switch  orders.yaml:26
  { large: true }
  | {
    id: string,
    lines: Line[],
    size: integer,
    price: number,
    description_of_the_customer_as_it_was_given: unknown,
  }

output  nats  orders.yaml:32
  { large: true }
  | {
    id: string,
    lines: Line[],
    size: integer,
    price: number,
    description_of_the_customer_as_it_was_given: unknown,
  }

Line is { sku?: string, parts?: Line[], … }
`,
  );
});

test("all streams of all documents are listed in source order, and types without information are unknown", async () => {
  const { stdout } = await warmSluice(["types", "orders.yaml", "relay.yaml"], { cwd });
  assert.equal(stdout.match(/^.*: stream .*$/gm), [
    "orders.yaml: stream intake",
    "orders.yaml: stream relay",
    "relay.yaml: stream relay",
  ]);
  assert.match(stdout, `\ninput  http_server  relay.yaml:9\n  unknown\n`);
});

test("JSON: schemas of the content and of the metadata for each step", async () => {
  const { status, stdout } = await warmSluice(["types", "orders.yaml", "--json"], { cwd });
  assert.is(status, 0);
  const [intake, other] = JSON.parse(stdout);
  assert.equal(
    [intake.file, intake.api, intake.name, other.name],
    ["orders.yaml", "orders", "intake", "relay"],
  );
  const [, mapping] = intake.steps;
  assert.equal(
    [mapping.name, mapping.component, mapping.label, mapping.place],
    ["processors[0].mapping", "mapping", "enrich", { file: "orders.yaml", line: 19, column: 13 }],
  );
  assert.equal(mapping.schema.properties.size, { type: "integer" });
  assert.equal(mapping.metadata.properties.region, { const: "eu" });
  assert.equal(mapping.failures, [
    {
      reason: "the divisor may be zero",
      place: { file: "orders.yaml", line: 23, column: 33 },
      goesTo: ["the input (rejected)"],
    },
  ]);
  assert.equal(other.steps.at(-1).schema, true);
});

test("documents with errors: diagnostics on standard error, nothing on standard output", async () => {
  const { status, stdout, stderr } = await warmSluice(["types", "misspelt.yaml"], { cwd });
  assert.equal([status, stdout], [1, ""]);
  assert.match(stderr, "error GW4010");
});

test("an unknown stream is misuse, with the nearest name", async () => {
  const asked = await warmSluice(["types", "orders.yaml", "--stream", "intaek"], { cwd });
  assert.equal(asked, {
    status: 64,
    stdout: "",
    stderr: "sluice: unknown stream 'intaek'; did you mean 'intake'?\n",
  });
});

test.run();
