import type { Delivery, EventContext, Sender } from "rhea";
import { GatewayError } from "../../errors.ts";

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
export class Sending {
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
export function notConnected(): GatewayError {
  return new GatewayError(502, "The AMQP broker is not connected");
}
