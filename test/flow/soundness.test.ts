// Compares the inferred messages and failures of streams with pipelines that run: if nothing can fail, no message is
// flagged as failed, and messages without a flag have the inferred type.

import fc from "fast-check";
import { test } from "uvu";
import { checkDocuments } from "../../compiler/compile.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { createProcessors } from "../../compiler/embed/processors.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { coreDialect } from "../../compiler/trees/dialect.ts";
import { alternativesOf } from "../../compiler/value-types/alternatives.ts";
import { writeJsonSchema } from "../../compiler/value-types/json-schema/write/write-schema.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { objectOf, type Type } from "../../compiler/value-types/type.ts";
import { runProcessors } from "../../runtime/component/pipeline.ts";
import { type Batch, Message } from "../../runtime/message/message.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { runValueFits } from "../inference/run-value-fits.ts";
import { arbitraryValueOf, knownType } from "../value-types/arbitrary-type.ts";
import { anyPipeline } from "./arbitrary-pipeline.ts";

const runs = Number(process.env.SLUICE_FUZZ_RUNS ?? 100);
const firstSeed = Number(process.env.SLUICE_FUZZ_SEED ?? 1);

/** Half of them have what pipelines look for. */
const content = fc.oneof(
  fc.record({ a: knownType, b: knownType }).map((fields): Type => objectOf(Object.entries(fields))),
  fc.constantFrom<Type>(
    objectOf([
      ["a", { kind: "String" }],
      ["b", { kind: "Integer" }],
    ]),
    objectOf([["a", { kind: "String", value: "x" }]]),
  ),
);

const example = content.chain((type) =>
  fc.record({
    type: fc.constant(type),
    values: fc.array(arbitraryValueOf(type), { minLength: 1, maxLength: 2 }),
    pipeline: anyPipeline,
  }),
);

type Example = typeof example extends fc.Arbitrary<infer E> ? E : never;

function documentOf({ type, pipeline }: Example): string {
  return JSON.stringify({
    input: { http_server: { path: "/in" }, schema: writeJsonSchema(type) },
    pipeline: { processors: pipeline },
    output: { kafka: { addresses: ["localhost:9092"], topic: "out" } },
  });
}

async function run(
  example: Example,
  nodes: Parameters<typeof createProcessors>[0],
): Promise<Batch | undefined> {
  const sink = createSink();
  const options = { dialect: coreDialect, fileSystem: createMemoryFileSystem({}), environment: {} };
  const processors = await createProcessors(nodes, options, sink);
  if (processors === undefined) return undefined;
  const batch = example.values.map((value) => Message.fromText(JSON.stringify(value), new Map(metadata)));
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  return (await runProcessors(processors, [batch], context)).flat();
}

/** What the input sets on every message. */
const metadata = ["user_agent", "request_path", "verb", "remote_ip"].map(
  (name) => [`http_server_${name}`, "x"] as const,
);

let clean = 0;

/** Resolves with the reason why a run differs from the inference; `undefined` if it does not, or if nothing runs. */
async function problemOf(example: Example): Promise<string | undefined> {
  const fileSystem = createMemoryFileSystem({ "s.json": documentOf(example) });
  const { checked } = await checkDocuments(["s.json"], { fileSystem });
  const stream = checked?.set.apis[0]?.streams[0];
  if (checked === undefined || stream === undefined) return undefined;
  const messages = await run(
    example,
    stream.processors.map(({ node }) => node),
  );
  if (messages === undefined) return undefined;
  const refused = checked
    .failures(stream)
    .some(({ reaches }) => reaches.some(({ kind }) => kind === "input"));
  if (!refused) clean++;
  const flagged = messages.find(({ failure }) => failure !== undefined);
  if (flagged !== undefined && !refused) return `a message is flagged: ${flagged.failure?.message}`;
  const said = checked.steps(stream).at(-1)?.message.content;
  const wrong = messages.find((message) => message.failure === undefined && said && !fits(said, message));
  if (wrong === undefined || said === undefined) return undefined;
  return `gives ${new TextDecoder().decode(wrong.bytes())}, not ${printType(said, { maximumLength: 500 })}`;
}

function fits(type: Type, message: Message): boolean {
  // Bytes may be anything, including JSON.
  if (alternativesOf(type).some(({ kind }) => kind === "Unknown" || kind === "Bytes")) return true;
  const document = message.document();
  return document !== undefined && runValueFits(type, document);
}

test("inferred types and failures hold for generated pipelines", async () => {
  const property = fc.asyncProperty(example, async (each) => (await problemOf(each)) === undefined);
  const { failed, counterexample, seed } = await fc.check(property, {
    numRuns: runs,
    seed: firstSeed,
  });
  if (!failed || counterexample === null) return;
  const [each] = counterexample;
  const reported = `${JSON.stringify(each.values)}\n${documentOf(each)}`;
  throw new Error(`${reported}\n${await problemOf(each).catch(String)}\n(seed ${seed})`);
});

test("control: enough generated pipelines are inferred not to fail", () => {
  if (clean < runs / 30) throw new Error(`only ${clean} of ${runs}`);
});

test.run();
