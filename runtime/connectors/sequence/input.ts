import { endpointsOf, preparationOf, sequencesOf } from "../../component/children.ts";
import type { Input, InputContext } from "../../component/component.ts";
import { startLate } from "../../component/late-inputs.ts";
import { abort } from "../../concurrency/abort.ts";
import { startAt } from "../../failures/place.ts";
import type { SequenceInputOptions } from "./generated/input-options.ts";

/**
 * Reads from one input after the other: the next one starts when the previous one has ended. The sequence ends with
 * the last input.
 */
export function sequenceInput({ inputs }: SequenceInputOptions): Input {
  const made = inputs.map((create) => create());
  const closing = new AbortController();
  let current = made[0];
  let moving: Promise<void> = Promise.resolve();

  function begin(place: number, input: Input, context: InputContext): Promise<void> {
    const reportEnd = () => {
      moving = moveOn(place + 1, input, context);
    };
    return startAt(input, { ...context, reportEnd });
  }

  async function moveOn(place: number, ended: Input, context: InputContext): Promise<void> {
    await ended.close();
    const create = inputs[place];
    if (create === undefined) {
      context.reportEnd?.();
      return;
    }
    const start = (input: Input) => begin(place, input, context);
    current = (await startLate(create, start, context, closing.signal)) ?? current;
  }

  return {
    endpoints: endpointsOf(made),
    ...preparationOf(made),
    ...sequencesOf(made),
    async start(context) {
      if (current !== undefined) await begin(0, current, context);
    },
    async close() {
      abort(closing);
      await moving;
      await current?.close();
    },
    lag: () => current?.lag?.(),
  };
}
