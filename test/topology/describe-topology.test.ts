import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, compileDocuments, drawStreams } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/index.ts";
import type { Topology } from "../../compiler/topology/describe-topology.ts";
import { projectRoot } from "../harness/directories.ts";

async function topologyOf(text: string): Promise<Topology> {
  const fileSystem = createMemoryFileSystem({ "stream.yaml": text });
  const { checked, diagnostics } = await checkDocuments(["stream.yaml"], { fileSystem });
  const [api] = checked?.set.apis ?? [];
  const drawn = checked && api && [...(await drawStreams(checked, api.id)).values()][0];
  if (drawn === undefined) throw new Error(JSON.stringify(diagnostics));
  return drawn;
}

const edgesOf = ({ edges }: Topology) =>
  edges.map(({ from, to, label }) => `${from} -> ${to}${label === undefined ? "" : ` (${label})`}`);

test("describes a chain from input to output, with the connections of each component", async () => {
  const topology = await topologyOf(`
input: { label: orders, kafka: { addresses: ["127.0.0.1:9092"], topics: [placed, paid], consumer_group: g } }
pipeline: { processors: [{ mapping: root = this }, { log: { message: seen } }] }
output: { http_server: { path: /events } }
`);
  assert.equal(topology.nodes[0], {
    id: "input.kafka",
    role: "input",
    component: "kafka",
    label: "orders",
    detail: "placed, paid",
    place: { file: "stream.yaml", line: 2, column: 25 },
  });
  assert.is(topology.nodes.at(-1)?.detail, "/events");
  assert.equal(edgesOf(topology), [
    "input.kafka -> pipeline.processors[0].mapping",
    "pipeline.processors[0].mapping -> pipeline.processors[1].log",
    "pipeline.processors[1].log -> output.http_server",
  ]);
});

test("nested components: inputs lead in, outputs out, cases branch and rejoin", async () => {
  const topology = await topologyOf(`
input:
  broker:
    inputs:
      - http_server: { path: /in }
        processors: [{ mapping: root.from = "http" }]
      - mqtt: { urls: ["tcp://127.0.0.1:1883"], topics: [a] }
pipeline:
  processors:
    - switch:
        - check: this.kind == "a"
          processors: [{ mapping: root.a = true }, { noop: {} }]
        - processors: [{ log: { message: other } }]
    - try: [{ mapping: root.tried = true }]
output: { broker: { pattern: fan_out, outputs: [{ drop: {} }, { nats: { urls: ["nats://127.0.0.1:4222"], subject: s } }] } }
error_handling: { strategy: dead_letter, output: { drop: {} } }
`);
  assert.equal(edgesOf(topology), [
    "input.broker.inputs[0].http_server -> input.broker.inputs[0].processors[0].mapping",
    "input.broker.inputs[0].processors[0].mapping -> input.broker",
    "input.broker.inputs[1].mqtt -> input.broker",
    "pipeline.processors[0].switch -> pipeline.processors[0].switch.cases[0].processors[0].mapping",
    "pipeline.processors[0].switch.cases[0].processors[0].mapping -> pipeline.processors[0].switch.cases[0].processors[1].noop",
    "pipeline.processors[0].switch -> pipeline.processors[0].switch.cases[1].processors[0].log",
    "input.broker -> pipeline.processors[0].switch",
    "pipeline.processors[1].try -> pipeline.processors[1].try[0].mapping",
    "pipeline.processors[0].switch -> pipeline.processors[1].try",
    "pipeline.processors[0].switch.cases[0].processors[1].noop -> pipeline.processors[1].try",
    "pipeline.processors[0].switch.cases[1].processors[0].log -> pipeline.processors[1].try",
    "output.broker -> output.broker.outputs[0].drop",
    "output.broker -> output.broker.outputs[1].nats",
    "pipeline.processors[1].try[0].mapping -> output.broker",
    "pipeline.processors[1].try[0].mapping -> error_handling.output.drop (failed)",
  ]);
});

test("components that serve routes list their callers, as the manifest does", async () => {
  const document = `
openapi: 3.1.1
info: { title: Orders, version: "1" }
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: openIdConnect, openIdConnectUrl: "https://login.example/.well-known/openid-configuration" }
paths:
  /in: { post: { security: [{ token: [write] }, { key: [] }], responses: { "200": { description: taken } } } }
  /out: { get: { security: [], responses: { "200": { description: events } } } }
x-gw-streaming:
  streams:
    intake:
      input:
        broker:
          inputs:
            - http_server: { path: /in, allowed_verbs: [POST, PUT], ws_path: /in/socket }
            - nats: { urls: ["nats://127.0.0.1:4222"], subject: orders }
      output: { http_server: { path: /out } }
x-gw-api-gateway: { info: { id: orders }, server: { listenPath: { value: /orders/ } } }
`;
  const fileSystem = createMemoryFileSystem({ "api.yaml": document });
  const { checked, files, diagnostics } = await compileDocuments(["api.yaml"], {
    fileSystem,
    packageRoot: projectRoot,
  });
  assert.ok(checked && files, renderPretty(diagnostics, { color: false }));
  const topology = (await drawStreams(checked, "orders")).get("intake");
  const served = topology?.nodes.flatMap(({ id, routes }) => (routes === undefined ? [] : [{ id, routes }]));
  assert.equal(served, [
    {
      id: "input.broker.inputs[0].http_server",
      routes: [
        {
          transport: "http",
          path: "/orders/in",
          callers: { POST: [{ token: ["write"] }, { key: [] }], PUT: [{ key: [] }] },
        },
        { transport: "websocket", path: "/orders/in/socket", callers: { GET: [{ key: [] }] } },
      ],
    },
    {
      id: "output.http_server",
      routes: [
        { transport: "http", path: "/orders/out", callers: { GET: "open" } },
        { transport: "websocket", path: "/orders/out", callers: { GET: "open" } },
      ],
    },
  ]);
  const { apis } = JSON.parse(files.get("manifest.json") ?? "{}");
  assert.equal(
    served?.flatMap(({ routes }) => routes.map(({ callers }) => callers)),
    apis[0].streams[0].routes.map(({ callers }: { callers: unknown }) => callers),
  );
});

test.run();
