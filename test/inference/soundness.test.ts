// Compares the inference of a mapping with its runs: if nothing can fail, nothing fails; results have the inferred type.

import fc from "fast-check";
import { test } from "uvu";
import { CompileError } from "../../compiler/embed/errors.ts";
import { compileMapping } from "../../compiler/embed/mapping.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { bytes, type MetadataType, objectOf, type Type } from "../../compiler/value-types/type.ts";
import { MappingError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { textOf } from "../../runtime/mapping/text.ts";
import { Message } from "../../runtime/message/message.ts";
import { nothing, type Value } from "../../runtime/message/value.ts";
import { arbitraryValueOf, knownType } from "../value-types/arbitrary-type.ts";
import { anyMapping } from "./arbitrary-mapping.ts";
import { inferText } from "./inferring.ts";
import { runValueFits } from "./run-value-fits.ts";

const runs = Number(process.env.SLUICE_FUZZ_RUNS ?? 400);
const firstSeed = Number(process.env.SLUICE_FUZZ_SEED ?? 1);

function run(
  source: string,
  mode: "mapping" | "mutation",
  text: string,
): { value: Value } | { error: string } | undefined {
  try {
    const compiled = compileMapping(source, { mode });
    return { value: compiled(new MappingRun([Message.fromText(text, new Map([["k", "x"]]))], 0)) };
  } catch (error) {
    if (error instanceof MappingError) return { error: error.message };
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

const metadata: MetadataType = {
  known: new Map([["k", { type: { kind: "String", value: "x" }, required: true }]]),
  others: false,
};

const content = knownType.map((type): Type => {
  if (type.kind === "Object") return type;
  return objectOf(["a", "b", "c"].map((name) => [name, type] as const));
});

/** Messages of a known type, and some that may be any document or none. */
const message: fc.Arbitrary<{ readonly type: Type; readonly text: string }> = fc.oneof(
  {
    weight: 6,
    arbitrary: content.chain((type) =>
      arbitraryValueOf(type).map((value) => ({ type, text: JSON.stringify(value) })),
    ),
  },
  fc.constantFrom('{"a":"x"}', "null", '"x"', "no document", "").map((text) => ({ type: bytes, text })),
);

const example = fc.record({
  message,
  source: anyMapping,
  mode: fc.constantFrom("mapping" as const, "mutation" as const),
});

type Example = typeof example extends fc.Arbitrary<infer E> ? E : never;

/** Returns why a run differs from the inference; `undefined` if it does not, or if there is nothing to run. */
function problemOf({ message: { type, text }, source, mode }: Example): string | undefined {
  const result = inferText(source, { content: type, metadata }, { mode });
  const outcome = result && run(source, mode, text);
  if (result === undefined || outcome === undefined) return undefined;
  const { failures, root } = result.inferred;
  if (failures.length === 0) certain++;
  if ("error" in outcome) return failures.length === 0 ? `fails: ${outcome.error}` : undefined;
  // A mutation that does not assign the root leaves the message unchanged.
  if (mode === "mutation" && outcome.value === nothing) return undefined;
  if (runValueFits(root, outcome.value)) return undefined;
  return `gives ${textOf(outcome.value)}, not ${printType(root, { maximumLength: 500 })}`;
}

let certain = 0;

test("inference is sound for generated mappings", () => {
  const property = fc.property(example, (each) => problemOf(each) === undefined);
  const { failed, counterexample, seed } = fc.check(property, {
    numRuns: runs,
    seed: firstSeed,
    endOnFailure: process.env.NOSHRINK === "1",
  });
  if (!failed || counterexample === null) return;
  const [found] = counterexample;
  const { message, source, mode } = found;
  const reported = `${mode} of ${printType(message.type, { maximumLength: 500 })}\n${message.text}\n${source}`;
  throw new Error(`${reported}\n${problemOf(found)}\n(seed ${seed})`);
});

test("control: enough generated mappings are inferred not to fail", () => {
  if (certain < runs / 20) throw new Error(`only ${certain} of ${runs}`);
});

test.run();
