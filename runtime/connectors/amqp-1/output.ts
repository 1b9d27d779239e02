import type { Delivery, EventContext, Sender } from "rhea";
import type { ComponentContext, Output } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch } from "../../message/message.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { type Amqp1OutputOptions, amqp1OutputDefaults } from "./generated/output-options.ts";
import { createMessages } from "./outgoing.ts";

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

/** The format of messages that the protocol itself describes; with it, the client takes them encoded. */
const messageFormat = 0;

interface Waiting {
  readonly message: Buffer;
  settle(failure: GatewayError | undefined): void;
}

/**
 * Messages that a link sends, until the broker has settled them. What the broker gives no credit for waits here,
 * in order: the client's own store is bounded, and breaks where it is full.
 */
class Sending {
  readonly #sender: Sender;
  readonly #waiting: Waiting[] = [];
  readonly #underWay = new Map<Delivery, Waiting>();
  #isLost = false;

  /** `lost` resolves when the link is. */
  constructor(sender: Sender, lost: Promise<string>) {
    this.#sender = sender;
    sender.on("sendable", () => this.#pump());
    for (const [event, failure] of outcomes) {
      sender.on(event, (context: EventContext) => this.#settle(context.delivery, failure));
    }
    void lost.then(() => this.#lose());
  }

  /** Takes a message as bytes of the protocol. Resolves once the broker has accepted the message; rejects with a `GatewayError`. */
  send(message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure: GatewayError | undefined) =>
        failure === undefined ? resolve() : reject(failure);
      if (this.#isLost) settle(notConnected());
      else {
        this.#waiting.push({ message, settle });
        this.#pump();
      }
    });
  }

  #pump(): void {
    while (this.#sender.sendable()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#underWay.set(this.#sender.send(next.message, undefined, messageFormat), next);
    }
  }

  #settle(delivery: Delivery | undefined, failure: (delivery: Delivery) => GatewayError | undefined): void {
    const waiting = delivery === undefined ? undefined : this.#underWay.get(delivery);
    if (delivery === undefined || waiting === undefined) return;
    this.#underWay.delete(delivery);
    waiting.settle(failure(delivery));
    this.#pump();
  }

  #lose(): void {
    this.#isLost = true;
    for (const { settle } of [...this.#underWay.values(), ...this.#waiting.splice(0)]) {
      settle(new GatewayError(502, "The connection to the AMQP broker was lost"));
    }
    this.#underWay.clear();
  }
}

/** What a broker may do with a message, and what that is for the write; the first that comes counts. */
const outcomes = [
  ["accepted", () => undefined],
  ["rejected", refused],
  ["released", () => new GatewayError(502, "The AMQP broker did not take the message")],
  ["modified", () => new GatewayError(502, "The AMQP broker did not take the message")],
] as const;

function refused({ remote_state: state }: Delivery): GatewayError {
  const condition: unknown = state?.error?.condition;
  const message = "The AMQP broker rejected the message";
  return new GatewayError(502, typeof condition === "string" ? `${message} (${condition})` : message);
}

/** What writes end with while there is no link. */
function notConnected(): GatewayError {
  return new GatewayError(502, "The AMQP broker is not connected");
}
