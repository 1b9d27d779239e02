// The step of processors that ask something outside the gateway for each message: a broker, a database, a program.

import type { ComponentContext, Processor } from "../component/component.ts";
import { type GatewayError, toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { inTurn } from "./in-turn.ts";
import { throwIfStopped } from "./stopping.ts";

/** Returns what replaces a message; `index`: its index in its batch. Rejects if nothing can. */
export type ReplaceMessage = (
  message: Message,
  context: ComponentContext,
  batch: Batch,
  index: number,
) => Promise<Message>;

/**
 * Returns a step that replaces each message, one after the other. A message for which that fails continues unchanged,
 * flagged with what `failureOf` returns. If the stream stops, the batch is refused instead: the failure then says nothing
 * about the message.
 */
export function replaceEach(
  replace: ReplaceMessage,
  failureOf: (error: unknown) => GatewayError,
): Processor["process"] {
  return (batch, context) =>
    inTurn(batch, async (message, index) => {
      try {
        return [await replace(message, context, batch, index)];
      } catch (error) {
        throwIfStopped(context.signal);
        return [message.withFailure(failureOf(error))];
      }
    });
}

/** Returns the failure for errors that name no reason which callers may read: `message`. */
export function failureFor(message: string): (error: unknown) => GatewayError {
  return (error) => toGatewayError(error, 500, message);
}
