import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/index.ts";
import { describeTopology, type Topology } from "../../compiler/topology/describe-topology.ts";

async function topologyOf(text: string): Promise<Topology> {
  const fileSystem = createMemoryFileSystem({ "stream.yaml": text });
  const { checked, diagnostics } = await checkDocuments(["stream.yaml"], { fileSystem });
  const stream = checked?.set.apis[0]?.streams[0];
  if (stream === undefined) throw new Error(JSON.stringify(diagnostics));
  return describeTopology(stream);
}

const edgesOf = ({ edges }: Topology) =>
  edges.map(({ from, to, label }) => `${from} -> ${to}${label === undefined ? "" : ` (${label})`}`);

test("a chain from input to output, with what each is connected to", async () => {
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

test("components inside others: inputs lead in, outputs out, cases branch and meet again", async () => {
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

test.run();
