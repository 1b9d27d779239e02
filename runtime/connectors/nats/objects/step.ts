// `nats_object_store`: reads or stores an object of a bucket for each message.

import type { ComponentContext, Processor } from "../../../component/component.ts";
import { openOnDemand } from "../../../component/kept-open.ts";
import { textOf } from "../../../component/text.ts";
import type { Message } from "../../../message/message.ts";
import type { NatsObjectStoreOptions } from "../../../processors/generated/nats-object-store-options.ts";
import { failureFor, replaceEach } from "../../../processors/replace-each.ts";
import { disconnectNats } from "../client.ts";
import { checkObjectName, openStore, readObject, writeObject } from "./store.ts";

/**
 * Replaces each message with an object, or stores each message as an object, one message after the other. A message
 * whose operation fails continues unchanged, and flagged. The connection is opened with the first message.
 */
export function natsObjectStore(options: NatsObjectStoreOptions): Processor {
  const opened = openOnDemand(
    (context: ComponentContext) => openStore(options, context),
    ({ connection }) => disconnectNats(connection),
  );

  async function work(message: Message, context: ComponentContext) {
    // Like the reference, computes the fields of each message as if it were alone in its batch.
    const name = checkObjectName(textOf(options.object_name, [message], 0));
    const { store } = await opened.open(context);
    if (options.operation === "get") return message.withBytes(await readObject(store, name));
    await writeObject(store, name, message.bytes());
    return message;
  }

  return {
    process: replaceEach(work, failureFor("the bucket could not be used")),
    close: () => opened.close(),
  };
}
