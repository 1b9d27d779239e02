import { setTimeout as pause } from "node:timers/promises";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { settlesWithin } from "../../../concurrency/promises.ts";
import { encodeUtf8 } from "../../../text/utf8.ts";
import { workInProgress } from "./deliveries.ts";

/** In bytes: the client would encode it for each message. */
const acknowledgement = /* @__PURE__ */ encodeUtf8("+ACK");
/** Acknowledgements after which the server is asked whether it has read them. */
const largestDoubt = 256;
/** Milliseconds between looks for a connection that is being repaired. */
const glance = 50;

/**
 * Acknowledgements of messages. An acknowledgement is kept until the server is known to have read it: one that
 * was lost with a connection would hold its message up for as long as `ack_wait`, and have it delivered twice where this
 * process ends before. A ping that is answered says so of all that was sent before it, so that a message costs no
 * answer of its own.
 */
export class Answers {
  readonly #connection: NatsConnection;
  /** Whether the consumer is known to be there. A server that has just come back forgets answers it cannot place. */
  readonly #isReady: () => boolean;
  #late: (readonly [reply: string, text: string])[] = [];
  /** Where to acknowledge again, of what was since the server was asked last: not the messages, which may be large. */
  #sent: string[] = [];
  /** As `#sent`, before the question that is under way. */
  #asked: string[] = [];
  #asking: Promise<void> | undefined;

  constructor(connection: NatsConnection, isReady: () => boolean) {
    this.#connection = connection;
    this.#isReady = isReady;
  }

  /** Tells `+ACK`, `-NAK …` or `+WPI` of a message, later where the consumer is not there now. */
  give({ reply }: Msg, text: string): void {
    if (reply === undefined) return; // none of a consumer
    if (this.#isReady() && !this.#isEnding()) this.#send(reply, text);
    else if (text !== workInProgress) this.#late.push([reply, text]);
  }

  /**
   * Tells a consumer that was found what has waited for it, and again what may have been lost. A refusal is not repeated:
   * another reader may have its message by now.
   */
  repeat(): void {
    if (this.#isEnding()) return;
    for (const reply of [...this.#asked.splice(0), ...this.#sent.splice(0)]) this.#send(reply, "+ACK");
    this.#sendLate();
  }

  /**
   * Waits until the server has read everything, over a new connection where the present one is lost, for `limit`
   * milliseconds at most. Gives how many answers it may not have read.
   */
  async finish(limit: number): Promise<number> {
    const end = performance.now() + limit;
    const left = () => this.#late.length + this.#sent.length + this.#asked.length;
    while (left() > 0 && performance.now() < end && !this.#connection.isClosed()) {
      if (this.#isReady()) {
        this.#sendLate();
        await settlesWithin(this.#ask(), end - performance.now());
      } else await pause(glance);
    }
    return left();
  }

  /** The client takes nothing any more. */
  #isEnding(): boolean {
    return this.#connection.isClosed() || this.#connection.isDraining();
  }

  #sendLate(): void {
    for (const [reply, text] of this.#late.splice(0)) this.#send(reply, text);
  }

  #send(reply: string, text: string): void {
    this.#connection.publish(reply, text === "+ACK" ? acknowledgement : text);
    if (text !== "+ACK") return;
    this.#sent.push(reply);
    if (this.#sent.length >= largestDoubt) void this.#ask();
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askNow(): Promise<void> {
    this.#asked = this.#sent.splice(0);
    try {
      await this.#connection.flush();
      this.#asked = [];
    } catch {
      this.#sent.unshift(...this.#asked.splice(0)); // the connection is lost; they are repeated over the next
    }
  }
}
