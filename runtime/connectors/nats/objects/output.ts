import type { Output } from "../../../component/component.ts";
import { notConnected } from "../../../component/persistence.ts";
import { textOf } from "../../../component/text.ts";
import { Semaphore } from "../../../concurrency/semaphore.ts";
import { prepareAll } from "../../../grammar/unfit-messages.ts";
import { disconnectNats } from "../client.ts";
import {
  type NatsObjectStoreOutputOptions,
  natsObjectStoreOutputDefaults,
} from "./generated/output-options.ts";
import { checkObjectName, type OpenStore, openStore, writeObject } from "./store.ts";

/**
 * Stores each message as an object, one after the other. A write resolves once the bucket has confirmed all of them.
 */
export function natsObjectStoreOutput(options: NatsObjectStoreOutputOptions): Output {
  const settings = { ...natsObjectStoreOutputDefaults, ...options };
  const inFlight = new Semaphore(settings.max_in_flight);
  let opened: OpenStore | undefined;
  return {
    async start(context) {
      opened = await openStore(settings, context);
    },
    async write(batch) {
      const { store } = opened ?? {};
      if (store === undefined) throw notConnected();
      const objects = prepareAll(batch, (message, index) => ({
        name: checkObjectName(textOf(settings.object_name, batch, index)),
        content: message.bytes(),
      }));
      await inFlight.use(async () => {
        for (const { name, content } of objects) await writeObject(store, name, content);
      });
      return {};
    },
    async close() {
      await inFlight.idle();
      if (opened !== undefined) await disconnectNats(opened.connection);
      opened = undefined;
    },
  };
}
