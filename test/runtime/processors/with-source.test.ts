import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { branch } from "../../../runtime/processors/branch.ts";
import { withSource } from "../../../runtime/processors/with-source.ts";
import { componentContext } from "../connectors/contexts.ts";

const failing: Processor = {
  process: (batch) => [batch.map((message) => message.withFailure(new MappingError("no")))],
};
const passing: Processor = { process: (batch) => Promise.resolve([batch]) };
const source = (label: string) => ({ label, path: `pipeline.processors.${label}`, type: "mapping" });

async function failOn(...processors: readonly Processor[]): Promise<string | undefined> {
  let batch = [Message.fromText("a")];
  for (const processor of processors) {
    batch = [...(await processor.process(batch, componentContext()))].flat();
  }
  return batch[0]?.failureSource?.label;
}

test("a failure names the processor that failed, and later processors do not change that", async () => {
  assert.is(await failOn(withSource(failing, source("a")), withSource(passing, source("b"))), "a");
  assert.is(await failOn(withSource(passing, source("a"))), undefined);
});

test("a later failure has its own source", async () => {
  assert.is(await failOn(withSource(failing, source("a")), withSource(failing, source("b"))), "b");
});

test("within a branch, the inner processor is named", async () => {
  const inner = branch({ processors: [withSource(failing, source("inner"))] });
  assert.is(await failOn(withSource(inner, source("outer"))), "inner");
});

test.run();
