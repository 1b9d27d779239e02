// Endless replies, which a scanner splits into messages.

import type { InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { pause } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { createSourceFailures } from "../../failures/source-failures.ts";
import type { LineHold } from "../../message/lines.ts";
import { type Batch, Message } from "../../message/message.ts";
import { bodyBudget, type Hold } from "../../process/memory/body-budget.ts";
import type { HttpCaller } from "../../requests/caller.ts";
import { describeRequest, payloadContent } from "../../requests/describe.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { type InputSettings, readReplies } from "./pace.ts";

/**
 * Reads reply after reply until `stop` is aborted; only the first one if `reconnect` is off, after which the input
 * has ended. Reads a line once the previous one is confirmed, so that further data waits at the server.
 */
export async function readStreams(
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
): Promise<void> {
  const redelivery = createRedelivery(context);
  const failures = createSourceFailures("reading the stream", context);
  const { scanner = linesScanner() } = settings.stream;
  let previous: Batch = [Message.fromText("")];

  async function readOne(): Promise<undefined> {
    const request = describeRequest(settings, previous, 0, payloadContent(settings, previous, 0));
    const { body, metadata } = await caller.open(request, { log: context.log, signal: stop }, stop);
    failures.succeeded();
    const hold = bodyBudget.hold();
    try {
      const source = { bytes: body, name: "", ...holdLine(hold, stop) };
      for await (const message of scanner.scan(source)) {
        if (message.bytes().length === 0 && settings.drop_empty_bodies) continue;
        previous = [message.withMetadata(new Map([...metadata, ...message.metadata]))];
        await redelivery.deliverNext(previous, stop);
        if (stop.aborted) return;
      }
    } finally {
      hold.release();
    }
  }

  await readReplies({ settings, failures, context, stop, readOne });
}

/** Number of attempts to find room for a line, and the milliseconds between them. */
const attemptsForRoom = 20;
const pauseForRoom = 200;

/**
 * Returns the memory hold of a line.
 * If no room becomes free, the reply fails: others may wait for the room that its beginning takes.
 */
export function holdLine(hold: Hold, stop: AbortSignal): LineHold {
  let kept = 0;
  return {
    async keep(bytes) {
      if (bytes <= kept) hold.give(kept - bytes);
      for (let attempt = 1; bytes > kept && !stop.aborted; attempt += 1) {
        const refused = hold.take(bytes - kept);
        if (refused === undefined) break;
        if (attempt === attemptsForRoom)
          throw new GatewayError(502, "The answer is too large for now", { cause: refused });
        await pause(pauseForRoom, stop);
      }
      kept = bytes;
    },
  };
}
