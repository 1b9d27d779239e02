// Emits consecutive mappings of a pipeline as one function. Each is a block of its own that reads the message that the
// previous one has built, or the unchanged message if the previous one failed.

import type { MappingSequence, SequenceStep } from "../../plan/mapping/ir.ts";
import { block, type Code, call, code, fragment, hardBreak, join, list, raw, separated } from "../code.ts";
import { cite, placeOf } from "../place.ts";
import { emitBody, type WrittenBody } from "./body.ts";
import { keptBy } from "./kept.ts";
import { emitMaps, nameMaps } from "./maps.ts";
import { batchOf, resultOf, type StepTypes, typed } from "./parameters.ts";
import { runtime } from "./runtime.ts";

/**
 * `function name(batch, index): Message | undefined`. `step`: the types of the messages that the sequence receives and
 * returns.
 */
export function emitSequence({ steps }: MappingSequence, name: string, step: StepTypes = {}): Code {
  const written = steps.map((step, index) => emitStep(step, index, steps.length, name));
  const start = code`const run = new ${runtime("MappingRun")}(batch, index);`;
  const parameters = [typed("batch", batchOf(step.reads)), typed("index", raw("number"))];
  const result = resultOf(step.gives);
  const body = block([start, ...written.map((step) => step.block)]);
  const main = code`function ${raw(name)}${list("(", parameters, ")")}${result} ${body}`;
  const kept = written.flatMap((step) => step.kept);
  const constants = kept.length === 0 ? [] : [join(kept, fragment([hardBreak]))];
  return separated([...written.flatMap((step) => step.maps), ...constants, main]);
}

interface EmittedStep {
  /** The declarations before the function: its maps, and the state that its calls keep. */
  readonly maps: readonly Code[];
  readonly kept: readonly Code[];
  readonly block: Code;
}

function emitStep(
  { mapping, path, label, span }: SequenceStep,
  index: number,
  count: number,
  owner: string,
): EmittedStep {
  const name = index === 0 ? owner : `${owner}Step${index + 1}`;
  const maps = nameMaps(mapping.maps, name);
  const isLast = index === count - 1;
  const written = emitBody(mapping, {
    name,
    maps,
    end: (root) => [
      isLast
        ? code`return ${call(raw("run.finish"), [root])};`
        : code`if (!${call(raw("run.advance"), [root])}) return undefined;`,
    ],
    // Emitted even if no statement can fail: an unexpected failure must not undo the steps before.
    failed: (failure = raw("error")) => {
      const failed = call(raw("run.fail"), [failure, ...placeOf({ span, path, label })]);
      return isLast ? code`return ${failed};` : code`${failed};`;
    },
  });
  const cited = join([cite(mapping.span, path), fragment([hardBreak]), emitBlock(written)]);
  return { maps: emitMaps(mapping.maps, maps), kept: keptBy(written.state), block: cited };
}

/** Wraps a step in a block, so that its declarations do not collide with those of other steps. A lone `try` is one. */
function emitBlock({ body }: WrittenBody): Code {
  const [only, ...others] = body;
  return only !== undefined && others.length === 0 ? only : block(body);
}
