// Runs the pipeline of each case below test/run, as planned and as optimised: `stream.yaml` on the batch of
// `batch.json`. Both must make the same of it, which is written to `outcome.txt`.

import * as assert from "uvu/assert";
import { planDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { evaluateProcessors } from "../../compiler/embed/processors.ts";
import { optimisePlan } from "../../compiler/optimise/index.ts";
import type { Plan } from "../../compiler/plan/plan.ts";
import { runProcessors } from "../../runtime/component/pipeline.ts";
import { type Batch, Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { cases } from "../harness/cases.ts";

cases("test/run", async ({ path, read, expectFile }) => {
  const { plan, diagnostics } = await planDocuments([path("stream.yaml")]);
  if (plan === undefined) throw new Error(renderPretty(diagnostics, { color: false }));
  const outcome = await runPlan(plan, read("batch.json"));
  expectFile("outcome.txt", outcome);
  assert.is(await runPlan(optimisePlan(plan), read("batch.json")), outcome, "optimised, it does the same");
});

/** What the plan's pipeline makes of a batch, as people read it. */
async function runPlan(plan: Plan, given: string): Promise<string> {
  const { pipeline = [], resources = [] } = plan.apis[0]?.streams[0] ?? {};
  const processors = evaluateProcessors(pipeline, resources, "stream.yaml", { environment: {} });
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const batches = await runProcessors(processors, [readBatch(given)], context);
  return batches.map((batch) => batch.map(show).join("")).join("\n");
}

interface GivenMessage {
  readonly content: string;
  readonly metadata?: Readonly<Record<string, Value>>;
}

function readBatch(text: string): Batch {
  const given: readonly GivenMessage[] = JSON.parse(text);
  return given.map(({ content, metadata }) =>
    Message.fromText(content, new Map(Object.entries(metadata ?? {}))),
  );
}

function show(message: Message): string {
  const lines = [
    Buffer.from(message.bytes()).toString(),
    ...[...message.metadata].map(([name, value]) => `  @${name} = ${JSON.stringify(value)}`),
    ...(message.failure === undefined ? [] : [`  failed: ${message.failure.message}`]),
  ];
  return `${lines.join("\n")}\n`;
}
