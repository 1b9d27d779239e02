import type { ChannelModel, ConfirmChannel } from "amqplib";
import type { ComponentContext, Delivered } from "../../component/component.ts";
import { CountedWrite, type MessageOutcome } from "../../component/outcomes.ts";
import type { Text } from "../../component/text.ts";
import { failedMessage, unfitMessage } from "../../component/unfit-messages.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { GatewayError } from "../../errors.ts";
import { unfitSize } from "../../grammar/computed-text.ts";
import type { Message } from "../../message/message.ts";
import { amqpFailure, reasonOf } from "./client.ts";
import { type AmqpPublication, AmqpPublications, type AmqpSent, notConfirmed } from "./publications.ts";

/** The target of the messages, as the document has it, and what is called when the broker refuses one. */
export interface PublisherOptions {
  readonly exchange: Text;
  readonly key: Text;
  readonly log: ComponentContext["log"];
  /** Called with the name of an exchange that no longer exists. */
  onMissing(exchange: string): void;
}

/** Returns the failure of a message that the broker refuses. */
type Refusal = (message: Message) => GatewayError;

/**
 * Publishes over a connection. RabbitMQ closes a channel over a message to a target that the user may not use, or that does
 * not exist, and does not say which message it was; those behind it are lost. The unconfirmed ones are therefore suspects.
 * They are sent again on another channel, in order, and the first one to each target alone, until each target is known as
 * accepted or refused. All later messages wait meanwhile.
 */
export class AmqpPublisher {
  /** Resolves with the reason when the channel has ended and is not replaced. */
  readonly ended: Promise<string>;
  readonly #connection: ChannelModel;
  readonly #options: PublisherOptions;
  #resolveEnded!: (reason: string) => void;
  #hasEnded = false;
  #channel: ConfirmChannel;
  /** Absent while no channel is open. */
  #publications: AmqpPublications | undefined;
  /** Messages that are to be sent: first the suspects. */
  readonly #waiting = new Fifo<AmqpSent>();
  /** The number of suspects whose outcome is not known, and how many of them are on their way. */
  #suspects = 0;
  #underWay = 0;
  /** Whether the only one on its way is the first to its target. */
  #isTrial = false;
  #isSending = false;
  /** What is known of the targets of suspects: whether the broker accepts them. */
  readonly #verdicts = new Map<string, Refusal | "accepted">();
  /** Bytes. The broker announces no limit, but closes a channel over a larger message. */
  #largest = Number.POSITIVE_INFINITY;
  #logged = "";

  /** `channel`: the first channel of the connection. */
  constructor(connection: ChannelModel, channel: ConfirmChannel, options: PublisherOptions) {
    this.#connection = connection;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#channel = channel;
    this.#use(channel);
  }

  /** The latest channel. */
  get channel(): ConfirmChannel {
    return this.#channel;
  }

  /** Throws a `GatewayError` for content that the broker is known not to accept. */
  checkSize(content: Uint8Array): void {
    if (content.length > this.#largest) throw tooLarge(this.#largest);
  }

  /**
   * Sends all messages, now if possible. Resolves once the broker has confirmed each of them; rejects with a `GatewayError`
   * if it refused any, after the outcome of all is known.
   */
  publish(publications: readonly AmqpPublication[]): Promise<Delivered> {
    const outcome = new CountedWrite(publications.length);
    for (const publication of publications) {
      if (this.#hasEnded)
        outcome.refuse(
          failedMessage(publication.message, new GatewayError(502, "RabbitMQ is not connected")),
        );
      else if (this.#publications === undefined || this.#suspects > 0)
        this.#waiting.push({ publication, outcome });
      else this.#publications.send({ publication, outcome });
    }
    return outcome.settled;
  }

  #use(channel: ConfirmChannel): void {
    this.#channel = channel;
    this.#publications = new AmqpPublications(channel, (unconfirmed, fault) =>
      this.#channelEnded(unconfirmed, fault),
    );
  }

  #channelEnded(unconfirmed: readonly AmqpSent[], fault: Error | undefined): void {
    this.#publications = undefined;
    const left = this.#withoutRefused(unconfirmed, fault);
    this.#underWay = 0;
    this.#isTrial = false;
    const waiting = this.#waiting.splice(0);
    for (const sent of [...(left ?? unconfirmed), ...waiting]) this.#waiting.push(sent);
    if (left === undefined) this.#end(fault);
    else void this.#reopen(fault);
  }

  /**
   * Refuses those messages over which the channel has ended, as far as that is known. Returns the others; `undefined` if it
   * has ended for another reason.
   */
  #withoutRefused(
    unconfirmed: readonly AmqpSent[],
    fault: Error | undefined,
  ): readonly AmqpSent[] | undefined {
    const largest = largestAfter(fault);
    const isLarge = ({ publication: { content } }: AmqpSent) => content.length > largest;
    if (unconfirmed.some(isLarge)) {
      this.#largest = largest;
      for (const { publication, outcome } of unconfirmed.filter(isLarge))
        outcome.refuse(unfitMessage(publication.message, tooLarge(largest)));
      return unconfirmed.filter((sent) => !isLarge(sent));
    }
    const refusal = this.#refusalBy(fault);
    const [only] = unconfirmed;
    if (refusal === undefined || only === undefined) return undefined;
    if (this.#isTrial) {
      this.#verdicts.set(targetOf(only.publication), refusal);
      this.#refuse(only, refusal);
      return [];
    }
    this.#verdicts.clear();
    if (this.#suspects > 0) return unconfirmed; // a right has changed meanwhile
    this.#suspects = unconfirmed.length;
    return unconfirmed.map((sent) => this.#suspect(sent));
  }

  /** Returns how the messages fail over which the channel has ended; `undefined` if it ended for another reason. */
  #refusalBy(fault: Error | undefined): Refusal | undefined {
    const { exchange, key } = this.#options;
    const code = fault !== undefined && "code" in fault ? fault.code : undefined;
    const isComputed = typeof exchange !== "string" || (typeof key !== "string" && isAboutKey(fault));
    // What the document itself names is no fault of a message.
    if (code === 403 && isComputed) {
      const text = "RabbitMQ does not allow the exchange or key (403 ACCESS_REFUSED)";
      const failure = new GatewayError(502, text, { cause: fault, retryable: false });
      return (message) => unfitMessage(message, failure);
    }
    if (code !== 404 || typeof exchange === "string") return undefined;
    const failure = amqpFailure(fault, "RabbitMQ refused the exchange");
    return () => failure;
  }

  #refuse({ publication: { message, exchange }, outcome }: AmqpSent, refusal: Refusal): void {
    const failure = refusal(message);
    if (failure.retryable) this.#options.onMissing(exchange);
    outcome.refuse(failedMessage(message, failure));
  }

  /** Returns a message as a suspect, which is no longer one when its outcome is known. */
  #suspect({ publication, outcome }: AmqpSent): AmqpSent {
    const target = targetOf(publication);
    const settled = () => {
      this.#suspects -= 1;
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#isTrial = false;
      if (!this.#verdicts.has(target)) this.#verdicts.set(target, "accepted");
      if (this.#suspects === 0) this.#verdicts.clear();
      this.#sendWaiting();
    };
    const watched: MessageOutcome = {
      confirm() {
        outcome.confirm();
        settled();
      },
      refuse(refusal) {
        outcome.refuse(refusal);
        settled();
      },
    };
    return { publication, outcome: watched };
  }

  async #reopen(fault: Error | undefined): Promise<void> {
    const reason = reasonOf(fault);
    if (reason !== this.#logged)
      this.#options.log.warn("RabbitMQ closed the channel over a message", { reason });
    this.#logged = reason;
    try {
      this.#use(await this.#connection.createConfirmChannel());
      this.#sendWaiting();
    } catch (error) {
      this.#end(error instanceof Error ? error : undefined);
    }
  }

  #sendWaiting(): void {
    if (this.#isSending) return; // an outcome that is known at once
    this.#isSending = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const verdict = this.#suspects > 0 ? this.#verdicts.get(targetOf(next.publication)) : "accepted";
      this.#isTrial = verdict === undefined;
      if (this.#suspects > 0) this.#underWay += 1;
      if (verdict === undefined || verdict === "accepted") this.#publications?.send(next);
      else this.#refuse(next, verdict);
    }
    this.#isSending = false;
  }

  /** Returns the next message that can be sent now, or whose refusal is known. */
  #next(): AmqpSent | undefined {
    const next = this.#waiting.at(0);
    if (this.#publications === undefined || next === undefined || this.#isTrial) return undefined;
    const mustWait = this.#underWay > 0 && !this.#verdicts.has(targetOf(next.publication));
    return mustWait ? undefined : this.#waiting.shift();
  }

  /** The connection is lost, or the channel was closed for a reason that no message is at fault for. */
  #end(fault: Error | undefined): void {
    this.#hasEnded = true;
    this.#suspects = 0;
    for (const { publication, outcome } of this.#waiting.splice(0))
      outcome.refuse(failedMessage(publication.message, notConfirmed(fault)));
    this.#resolveEnded(reasonOf(fault));
  }
}

/** RabbitMQ decides by the exchange and the key whether the user may publish a message. */
function targetOf({ exchange, key }: AmqpPublication): string {
  return JSON.stringify([exchange, key]);
}

/** Returns whether the user may not use a key, rather than the exchange. Since 4.0 the text names the right. */
function isAboutKey(fault: Error | undefined): boolean {
  return /^Channel closed by server: 403 \(ACCESS-REFUSED\) with message "ACCESS_REFUSED - (?:write )?access to topic '/.test(
    fault?.message ?? "",
  );
}

/** Returns the size of the largest message that RabbitMQ accepts, if it has ended a channel over a larger one. */
function largestAfter(fault: Error | undefined): number {
  const [, size = Number.POSITIVE_INFINITY] =
    /message size \d+ (?:is )?larger than (?:configured )?max size (\d{1,15})/.exec(fault?.message ?? "") ??
    [];
  return Number(size);
}

/** Returns the error for a message that RabbitMQ never accepts. */
function tooLarge(largest: number): GatewayError {
  return unfitSize(`The message is larger than the ${largest} bytes that RabbitMQ accepts`);
}
