import type { Sender } from "rhea";
import type { ComponentContext, Output } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch } from "../../message/message.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { type Amqp1OutputOptions, amqp1OutputDefaults } from "./generated/output-options.ts";
import { createMessages } from "./outgoing.ts";
import { notConnected, Sending } from "./sending.ts";

/**
 * Sends each message to an address, in the order of the writes. A write resolves once the broker has accepted all
 * its messages, and fails when the link is lost before.
 */
export function amqp1Output(options: Amqp1OutputOptions): Output {
  const settings = { ...amqp1OutputDefaults, ...options };
  const makeMessage = createMessages(settings);
  const inFlight = new Semaphore(settings.max_in_flight);
  let kept: KeptOpen<SendingLink> | undefined;

  async function send(batch: Batch): Promise<void> {
    const sending = kept?.current?.sending;
    if (sending === undefined) throw notConnected();
    const messages = prepareAll(batch, (_, index) => makeMessage(batch, index));
    for (const outcome of await Promise.allSettled(messages.map((message) => sending.send(message)))) {
      if (outcome.status === "rejected") throw outcome.reason;
    }
    kept?.succeeded();
  }

  return {
    async start(context) {
      kept = keepSending(settings, context);
      await kept.start();
    },
    async write(batch) {
      await inFlight.use(() => send(batch));
      return {};
    },
    async close() {
      await inFlight.idle();
      await kept?.close();
    },
  };
}

interface SendingLink extends OpenLink<Sender> {
  readonly sending: Sending;
}

function keepSending(settings: Amqp1OutputOptions, context: ComponentContext): KeptOpen<SendingLink> {
  const targets = targetsOf(settings);
  return new KeptOpen<SendingLink>({
    name: "AMQP",
    context,
    async open() {
      const opened = await openLink(targets, (connection) =>
        connection.open_sender({ target: { address: settings.target_address } }),
      );
      return { ...opened, sending: new Sending(opened.link, opened.lost) };
    },
  });
}
