// `sleep`: delays messages.

import type { ComponentContext, Processor } from "../component/component.ts";
import { textOf } from "../component/text.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { durationFault, parseDuration } from "../text/duration.ts";
import type { SleepOptions } from "./generated/sleep-options.ts";
import { waitUnlessStopped } from "./stopping.ts";

/**
 * Waits for each message of a batch in turn. If a duration cannot be computed or is invalid, its message is not delayed
 * and is marked as failed. When the stream stops, the batch is refused and returns to its input.
 */
export function sleep({ duration }: SleepOptions): Processor {
  async function pauseFor(batch: Batch, index: number, message: Message, context: ComponentContext) {
    let milliseconds: number;
    try {
      milliseconds = readDuration(textOf(duration, batch, index));
    } catch (error) {
      return message.withFailure(toGatewayError(error, 500, "the duration of a sleep failed"));
    }
    await waitUnlessStopped(milliseconds, context.signal);
    return message;
  }

  return {
    async process(batch, context) {
      const passed: Message[] = [];
      for (const [index, message] of batch.entries()) {
        passed.push(await pauseFor(batch, index, message, context));
      }
      return [passed];
    },
  };
}

function readDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new MappingError(`failed to parse sleep duration: ${durationFault(text)}`);
  return milliseconds;
}
