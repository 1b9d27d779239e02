// What the failure of a write says of its messages: none counts as delivered that is not, whatever the outputs in it answer.

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered, Output } from "../../../runtime/component/component.ts";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { failedMessage, oneByOne, unfitMessage } from "../../../runtime/component/unfit-messages.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { dropOnPatternsOutput } from "../../../runtime/connectors/drop-on/patterns-output.ts";
import { fallbackOutput } from "../../../runtime/connectors/fallback/output.ts";
import { rejectErroredOutput } from "../../../runtime/connectors/reject-errored/output.ts";
import { retryOutput } from "../../../runtime/connectors/retry/output.ts";
import { switchOutput } from "../../../runtime/connectors/switch/output.ts";
import { GatewayError, toGatewayError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { prepareAll } from "../../../runtime/grammar/unfit-messages.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import { outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { outputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import { deadLetters } from "../../../runtime/stream/dead-letters.ts";
import { each, memoryOutput, textOf } from "../gateway/components.ts";
import { batchOf, componentContext } from "./contexts.ts";

const test = suite("undelivered messages");

/** What a target answers for a message. `lost`: it accepts the message, and the confirmation does not arrive. */
const answers = ["ok", "ok", "ok", "away", "refused", "denied", "lost"] as const;
type Answer = (typeof answers)[number];

/** How a target reports that: by message, by write, before it sends anything, or message by message until one fails. */
const manners = ["named", "plain", "prepared", "whole"] as const;
type Manner = (typeof manners)[number];

/** An output, and whether it holds a message for good. */
interface Part {
  readonly output: Output;
  holds(text: string): boolean;
  /** The part, for the report of a failure. */
  readonly name: string;
}

const failures: Readonly<Record<Exclude<Answer, "ok">, GatewayError>> = {
  away: new GatewayError(503, "away"),
  lost: new GatewayError(502, "not confirmed"),
  refused: new GatewayError(502, "not allowed", { retryable: false }),
  denied: new GatewayError(403, "denied"),
};

/** Returns a target that answers with each of `script` in turn, and then accepts everything. */
function target(manner: Manner, script: Answer[]): Part & { readonly held: readonly string[] } {
  const name = `${manner}(${script.toReversed().join(" ")})`;
  const held: string[] = [];
  const send = (message: Message): GatewayError | undefined => {
    const answer = script.pop() ?? "ok";
    if (answer === "ok" || answer === "lost") held.push(textOf(message));
    if (answer === "ok") return undefined;
    const failure = failures[answer];
    return answer === "refused" ? unfitMessage(message, failure) : failedMessage(message, failure);
  };
  const sendAlone = async (message: Message): Promise<Delivered> => {
    const failure = send(message);
    if (failure !== undefined) throw failure;
    return {};
  };
  const write = async (batch: Batch): Promise<Delivered> => {
    if (manner === "whole") return oneByOne(batch, sendAlone);
    if (manner === "prepared")
      prepareAll(batch, () => {
        if (script.at(-1) === "refused") {
          script.pop();
          throw unfit("too large");
        }
      });
    if (manner === "plain") {
      for (const message of batch) {
        const failure = send(message);
        if (failure !== undefined)
          throw [...(failure as ReturnType<typeof failedMessage>).failures.values()][0];
      }
      return {};
    }
    const counted = new CountedWrite(batch.length);
    for (const message of batch) {
      const failure = send(message);
      if (failure === undefined) counted.confirm();
      else counted.refuse(failure);
    }
    return counted.settled;
  };
  return { output: memoryOutput(write), held, holds: (text) => held.includes(text), name };
}

const patterns = ["fan_out_fail_fast", "fan_out_sequential_fail_fast", "round_robin", "greedy"] as const;

function leaf(): fc.Arbitrary<() => Part> {
  const script = fc.array(fc.constantFrom(...answers), { maxLength: 12 });
  return fc.tuple(fc.constantFrom(...manners), script).map(
    ([manner, given]) =>
      () =>
        target(manner, [...given]),
  );
}

/** Returns a tree of outputs. */
function tree(depth: number): fc.Arbitrary<() => Part> {
  if (depth === 0) return leaf();
  const child = tree(depth - 1);
  const several = fc.array(child, { minLength: 1, maxLength: 3 });
  const one = (kind: string, wrap: (output: Output) => Output) =>
    child.map((make) => () => {
      const { output, holds, name } = make();
      return { output: wrap(output), holds, name: `${kind}(${name})` };
    });
  const joined = (kind: string, wrap: (outputs: Output[]) => Output, holds: "some" | "every") =>
    several.map((makers) => () => {
      const parts = makers.map((make) => make());
      return {
        output: wrap(parts.map(({ output }) => output)),
        holds: (text: string) => parts[holds]((part) => part.holds(text)),
        name: `${kind}(${parts.map(({ name }) => name).join(", ")})`,
      };
    });
  return fc.oneof(
    leaf(),
    joined("fallback", (outputs) => fallbackOutput(outputs as [Output, ...Output[]]), "some"),
    fc
      .constantFrom(...patterns)
      .chain((pattern) =>
        joined(
          pattern,
          (outputs) => brokerOutput({ pattern, outputs }),
          pattern.startsWith("fan_out") ? "every" : "some",
        ),
      ),
    fc.tuple(child, child).map(([first, second]) => () => {
      const [odd, others] = [first(), second()];
      const isOdd = (text: string) => Number(text) % 2 === 1;
      return {
        output: switchOutput({
          cases: [
            { check: (batch, index) => isOdd(textOf(batch[index] as Message)), output: odd.output },
            { output: others.output },
          ],
        }),
        holds: (text: string) => (isOdd(text) ? odd : others).holds(text),
        name: `switch(${odd.name}, ${others.name})`,
      };
    }),
    one("retry", (output) =>
      retryOutput({ output, max_retries: 1, backoff: { initial_interval: 1, max_interval: 1 } }),
    ),
    one("reject_errored", (output) => rejectErroredOutput(output)),
    one("drop_on", (output) => dropOnPatternsOutput({ output, error_patterns: ["^never$"] })),
    one("batching", (output) => outputWithBatching(output, { count: 3, period: 1 })),
    one("processors", (output) =>
      outputWithProcessors(output, [each((message) => message.withEntries([["passed", "yes"]]))]),
    ),
  );
}

const writes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

/** Writes batches of the given lengths at once, and checks that what does not count as undelivered is held. */
async function check(
  lengths: readonly number[],
  write: (batch: Batch) => Promise<unknown>,
  holds: Part["holds"],
  name: string,
): Promise<void> {
  let number = 0;
  const batches = lengths.map((length) => batchOf(...Array.from({ length }, () => String(number++))));
  await Promise.all(
    batches.map(async (batch) => {
      let left: readonly Message[] = [];
      let failure: unknown;
      try {
        await write(batch);
      } catch (error) {
        failure = error;
        left = toGatewayError(error, 500, "").undelivered(batch);
      }
      for (const message of batch)
        assert.ok(
          left.includes(message) || holds(textOf(message)),
          `${textOf(message)} is lost: ${failure}\n${name}\n${lengths}`,
        );
    }),
  );
}

const runs = { numRuns: 200, seed: 6, includeErrorInReport: true };

test("messages behind one that was not written are written by the next output", async () => {
  const [first, next] = [target("whole", ["away", "refused", "ok"]), memoryOutput()];
  const output = fallbackOutput([first.output, next]);
  await output.start(componentContext());
  await output.write(batchOf("0", "1", "2", "3"));
  assert.equal(next.texts.toSorted(), ["1", "2"]);
  assert.ok(first.holds("0") && first.holds("3"));
});

test("a failure beside dead letters that were not written is that of all messages", async () => {
  const { writeAll } = deadLetters();
  const [main, letters] = [target("prepared", ["denied", "refused"]), memoryOutput()];
  const batch = batchOf("unfit", "denied", "other");
  const outputs = { main: main.output, letters };
  const failure = await writeAll([{ output: main.output, batch }], outputs, "stream", {
    written: 3,
    deadLettered: 0,
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.equal(letters.texts, []);
  assert.equal((failure as GatewayError).undelivered(batch), batch);
});

test("outputs made of outputs", async () => {
  await fc.assert(
    fc.asyncProperty(tree(3), writes, async (make, lengths) => {
      const { output, holds, name } = make();
      await output.start(componentContext());
      await check(lengths, (batch) => output.write(batch), holds, name);
      await output.close();
    }),
    runs,
  );
});

test("outputs of a fallback that tell the outcome of each message", async () => {
  const script = fc.array(fc.constantFrom<Answer>("ok", "away", "refused", "denied"), { maxLength: 12 });
  const ends = fc.array(fc.tuple(fc.constantFrom<Manner>("named", "prepared"), script), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(ends, fc.integer({ min: 1, max: 6 }), async (scripts, length) => {
      const parts = scripts.map(([manner, given]) => target(manner, [...given]));
      const output = fallbackOutput(parts.map((part) => part.output) as [Output, ...Output[]]);
      await output.start(componentContext());
      const name = parts.map((part) => part.name).join(", ");
      await check(
        [length],
        (batch) => output.write(batch),
        (text) => parts.some((part) => part.holds(text)),
        name,
      );
      const held = parts.flatMap((part) => part.held);
      assert.is(new Set(held).size, held.length, `no message is written twice: ${name}`);
    }),
    runs,
  );
});

test("no message is written again that an output has accepted and told so", async () => {
  const script = fc.array(fc.constantFrom<Answer>("ok", "ok", "away", "refused", "denied"), {
    maxLength: 12,
  });
  const absences = fc.array(fc.boolean(), { maxLength: 6 });
  type Tree = () => {
    readonly output: Output;
    readonly held: () => readonly string[];
    readonly name: string;
  };
  const named: fc.Arbitrary<Tree> = script.map((given) => () => {
    const { output, held, name } = target("named", [...given]);
    return { output, held: () => held, name };
  });
  const absent: fc.Arbitrary<Tree> = absences.map((given) => () => {
    const [held, left] = [[] as string[], [...given]];
    const output = memoryOutput(async (batch) => {
      if (left.pop() === true) throw failures.away;
      held.push(...batch.map(textOf));
      return {};
    });
    return { output, held: () => held, name: `absent(${given.toReversed().join(" ")})` };
  });
  const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => {
    const several = (kind: string, wrap: (outputs: readonly [Output, ...Output[]]) => Output) =>
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }).map((makers) => () => {
        const parts = makers.map((make) => make());
        return {
          output: wrap(parts.map(({ output }) => output) as [Output, ...Output[]]),
          held: () => parts.flatMap((part) => part.held()),
          name: `${kind}(${parts.map(({ name }) => name).join(", ")})`,
        };
      });
    const tree: fc.Arbitrary<Tree> = fc.oneof(
      { depthSize: "small", maxDepth: 3 },
      named,
      absent,
      several("fallback", fallbackOutput),
      several("round_robin", (outputs) => brokerOutput({ pattern: "round_robin", outputs })),
      several("switch", (outputs) =>
        switchOutput({
          cases: outputs.map((output, place) => ({
            ...(place + 1 < outputs.length && {
              check: (batch, index) => Number(textOf(batch[index] as Message)) % outputs.length === place,
            }),
            output,
          })),
        }),
      ),
      tie("tree").map((make) => () => {
        const { output, held, name } = make();
        return {
          output: outputWithBatching(output, { count: 3, period: 1 }),
          held,
          name: `batching(${name})`,
        };
      }),
    );
    return { tree };
  });
  await fc.assert(
    fc.asyncProperty(trees, writes, async (make, lengths) => {
      const { output, held, name } = make();
      await output.start(componentContext());
      let number = 0;
      await Promise.all(
        lengths.map(async (length) => {
          let left: Batch = batchOf(...Array.from({ length }, () => String(number++)));
          for (let attempts = 0; left.length > 0; attempts += 1) {
            assert.ok(attempts < 100, `it is not delivered: ${name}`);
            try {
              await output.write(left);
              left = [];
            } catch (error) {
              left = toGatewayError(error, 500, "").undelivered(left);
            }
          }
        }),
      );
      assert.is(new Set(held()).size, held().length, `${held()}: ${name}`);
      assert.is(held().length, number, name);
      await output.close();
    }),
    runs,
  );
});

test("with dead letters", async () => {
  const { of, writeAll } = deadLetters();
  await fc.assert(
    fc.asyncProperty(tree(2), tree(1), writes, async (make, makeLetters, lengths) => {
      const [main, letters] = [make(), makeLetters()];
      const outputs = { main: main.output, letters: letters.output };
      await main.output.start(componentContext());
      await letters.output.start(componentContext());
      await check(
        lengths,
        (batch) => {
          // Processors failed on the last message of larger batches.
          const passing = batch.length > 2 ? batch.slice(0, -1) : batch;
          const failed = batch.slice(passing.length).map((message) => message.withFailure(failures.denied));
          const writes = [
            { output: main.output, batch: passing },
            { output: letters.output, batch: failed.flatMap((message) => of(message, "stream")) },
          ];
          return writeAll(
            writes.filter(({ batch: own }) => own.length > 0),
            outputs,
            "stream",
            { written: 0, deadLettered: 0 },
          );
        },
        (text) => main.holds(text) || letters.holds(text),
        `${main.name}; letters: ${letters.name}`,
      );
      await Promise.all([main.output.close(), letters.output.close()]);
    }),
    runs,
  );
});

test.run();
