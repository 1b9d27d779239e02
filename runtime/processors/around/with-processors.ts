// Adds processors to an input or an output that is nested in another one.

import { preparationOf, sequencesIn, sequencesOf, wrapOutput } from "../../component/children.ts";
import type { ComponentContext, Input, Output, Processor } from "../../component/component.ts";
import { inDeliveryScope } from "../../component/delivery-scope.ts";
import { acceptFailure, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { notConnected } from "../../component/persistence.ts";
import { closeProcessors, runProcessors } from "../../component/pipeline.ts";
import { Ordering, type Sequence } from "../../concurrency/ordering.ts";
import type { Batch } from "../../message/message.ts";

/** Returns an input whose messages pass through processors. Messages that these drop are acknowledged. */
export function inputWithProcessors(input: Input, processors: readonly Processor[]): Input {
  const ordering = new Ordering();
  return {
    ...(input.endpoints && { endpoints: input.endpoints }),
    isServer: input.isServer === true,
    ...preparationOf([input]),
    ...sequencesOf([input]),
    start: (context) =>
      input.start({
        ...context,
        deliver: (batch) =>
          inDeliveryScope(context, async (scoped) => {
            const { delivered } = await ordering.run({
              sequences: () => sequencesOfDelivery(batch, input),
              process: () => runProcessors(processors, [batch], scoped),
              handOver: (batches) => ({
                delivered: joinDelivered(batches.map((each) => context.deliver(each))),
              }),
            });
            return delivered;
          }),
      }),
    async close() {
      await input.close();
      await closeProcessors(processors);
    },
    lag: () => input.lag?.(),
  };
}

/** One order for everything: processed concurrently, and handed over in the order of arrival. */
const inTurn: Sequence = { name: "", isKey: false };

/** Messages without a sequence of their own are handed over in turn. Requests of clients do not wait for each other. */
function* sequencesOfDelivery(batch: Batch, { sequenceOf, isServer }: Input): Generator<Sequence> {
  let isOrdered = isServer === true;
  for (const sequence of sequencesIn(batch, sequenceOf)) {
    isOrdered = true;
    yield sequence;
  }
  if (!isOrdered) yield inTurn;
}

/**
 * Returns an output whose messages pass through processors before they are written. The gate for failed messages comes
 * after them: they may handle a failure of the pipeline, and a message on which they fail is held up.
 */
export function outputWithProcessors(output: Output, processors: readonly Processor[]): Output {
  let context: ComponentContext | undefined;
  const ordering = new Ordering();
  return wrapOutput(output, {
    takesFailed: () => true,
    start(given) {
      context = given;
      return output.start(given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      const { deliversFailed = false } = context;
      return inDeliveryScope(context, async (scoped) => {
        const { delivered } = await ordering.run({
          sequences: () => [inTurn],
          process: () => runProcessors(processors, [batch], scoped),
          handOver: (batches) => {
            const passing = deliversFailed ? batches.map((each) => each.map(acceptFailure)) : batches;
            return { delivered: joinDelivered(passing.map((each) => writeThroughGate(output, each))) };
          },
        });
        return delivered;
      });
    },
    async close() {
      await output.close();
      await closeProcessors(processors);
    },
  });
}
