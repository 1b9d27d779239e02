// `nats_object_store`: an object of a bucket for each message.

import type { ComponentContext, Processor } from "../../../component/component.ts";
import { openOnDemand } from "../../../component/kept-open.ts";
import { textOf } from "../../../component/text.ts";
import { toGatewayError } from "../../../errors.ts";
import type { Message } from "../../../message/message.ts";
import type { NatsObjectStoreOptions } from "../../../processors/generated/nats-object-store-options.ts";
import { inTurn } from "../../../processors/in-turn.ts";
import { throwIfStopped } from "../../../processors/stopping.ts";
import { disconnectNats } from "../client.ts";
import { checkObjectName, openStore, readObject, writeObject } from "./store.ts";

/**
 * Reads an object in the place of each message, or stores each as one, one message after the other; one whose operation fails goes on
 * as it was, flagged. The connection is opened with the first message.
 */
export function natsObjectStore(options: NatsObjectStoreOptions): Processor {
  const opened = openOnDemand(
    (context: ComponentContext) => openStore(options, context),
    ({ connection }) => disconnectNats(connection),
  );

  async function work(message: Message, context: ComponentContext) {
    try {
      const name = checkObjectName(textOf(options.object_name, [message], 0));
      const { store } = await opened.open(context);
      if (options.operation === "get") return message.withBytes(await readObject(store, name));
      await writeObject(store, name, message.bytes());
      return message;
    } catch (error) {
      throwIfStopped(context.signal);
      return message.withFailure(toGatewayError(error, 500, "the bucket could not be used"));
    }
  }

  return {
    // The reference computes fields of each message as if it were alone.
    process: (batch, context) => inTurn(batch, async (message) => [await work(message, context)]),
    close: () => opened.close(),
  };
}
