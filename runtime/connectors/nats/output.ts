import { setImmediate as nextTurn } from "node:timers/promises";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import type { Output } from "../../component/component.ts";
import type { MessageOutcome } from "../../component/outcomes.ts";
import { textOf } from "../../component/text.ts";
import { failedMessage } from "../../component/unfit-messages.ts";
import { Rounds } from "../../concurrency/rounds.ts";
import { GatewayError } from "../../errors.ts";
import type { CheckText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { connectNats, natsFailure, notAllowed, refusedSubject } from "./client.ts";
import { connectedOutput, type Publisher } from "./connected-output.ts";
import { type NatsOutputOptions, natsOutputDefaults } from "./generated/output-options.ts";
import { checkFits, subjectCheck } from "./grammar.ts";
import { createHeaderMaker, createPassMetadata, type MakeHeaders, type PassMetadata } from "./headers.ts";

/**
 * Publishes each message to a subject. A write resolves once the server has received all of its messages, that is,
 * once it has answered a ping that was sent after them. `pass` selects metadata that are sent as headers; a gateway
 * whose document has no `metadata` does not include the filter.
 */
export function natsOutput(options: PlainOptions, pass?: PassMetadata): Output {
  const settings = { ...natsOutputDefaults, ...options };
  const makeHeaders = createHeaderMaker(settings.headers, pass);
  return connectedOutput(
    settings.max_in_flight,
    async (context) => new Writing(settings, makeHeaders, await connectNats(settings, context)),
  );
}

type PlainOptions = Omit<NatsOutputOptions, "metadata">;

/** A message that the server accepts. */
interface Publication {
  readonly message: Message;
  readonly subject: string;
  readonly content: Uint8Array;
  readonly headers: MsgHdrs | undefined;
  /** The number of the latest refusal before the message was written. */
  readonly after: number;
  readonly outcome: MessageOutcome;
}

/** One run of an output, from `start` to `close`. */
class Writing implements Publisher {
  readonly #options: PlainOptions;
  readonly #makeHeaders: MakeHeaders;
  readonly #connection: NatsConnection;
  readonly #checkSubject: CheckText;
  /**
   * Combines the messages of one turn of the event loop to one write and one ping;
   * the client would write each on its own.
   */
  readonly #rounds: Rounds<Publication>;
  /** The subjects that the server refused, with the number of the latest refusal, in the order of these numbers. */
  readonly #refusals = new Map<string, number>();
  #refusalCount = 0;
  #connected = true;
  #closed: Promise<void> | undefined;

  constructor(options: PlainOptions, makeHeaders: MakeHeaders, connection: NatsConnection) {
    this.#options = options;
    this.#checkSubject = subjectCheck(options.subject);
    this.#makeHeaders = makeHeaders;
    this.#connection = connection;
    this.#rounds = new Rounds((publications) => this.#send(publications));
    void this.#watch();
  }

  publish(batch: Batch, outcome: MessageOutcome): void {
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    void this.#rounds.add(
      prepareAll(batch, (message, index) => this.#prepare(message, batch, index, outcome)),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#rounds.idle();
    await this.#connection.close();
  }

  async #send(publications: readonly Publication[]): Promise<void> {
    try {
      for (const { subject, content, headers } of publications) {
        this.#connection.publish(subject, content, headers === undefined ? {} : { headers });
      }
      await this.#connection.flush();
      await nextTurn(); // a refusal arrives before the pong, but the client reports it one turn later
    } catch (error) {
      const failure = natsFailure(error, "NATS did not confirm the message");
      for (const { message, outcome } of publications) outcome.refuse(failedMessage(message, failure));
      return;
    }
    for (const publication of publications) this.#settle(publication);
    this.#forget(publications.at(-1)?.after ?? 0);
  }

  /** Forgets refusals up to a number: those before the messages that are still unsettled, as subjects may be computed. */
  #forget(latest: number): void {
    for (const [subject, number] of this.#refusals) {
      if (number > latest) return;
      this.#refusals.delete(subject);
    }
  }

  #settle({ message, subject, after, outcome }: Publication): void {
    // Refusals are rare: search for one only after the server has sent one.
    const isRefused = this.#refusalCount > after && (this.#refusals.get(subject) ?? 0) > after;
    if (!isRefused) outcome.confirm();
    else outcome.refuse(failedMessage(message, notAllowed(message, this.#options.subject)));
  }

  #prepare(message: Message, batch: Batch, index: number, outcome: MessageOutcome): Publication {
    const subject = this.#checkSubject(textOf(this.#options.subject, batch, index));
    const content = message.bytes();
    const headers = this.#makeHeaders(batch, index);
    checkFits(this.#connection, content, headers);
    return { message, subject, content, headers, after: this.#refusalCount, outcome };
  }

  #noteRefusal(error: Error): void {
    const subject = refusedSubject(error);
    if (subject === undefined) return;
    this.#refusalCount += 1;
    this.#refusals.delete(subject);
    this.#refusals.set(subject, this.#refusalCount);
  }

  /**
   * Tracks the connection. While it is lost, writes fail: the client would buffer published messages without a limit.
   */
  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") this.#connected = false;
      else if (status.type === "reconnect") this.#connected = true;
      else if (status.type === "error") this.#noteRefusal(status.error);
    }
  }
}

/** Like `natsOutput`, with the metadata that `metadata` selects as headers. */
export function filteredNatsOutput({ metadata, ...options }: NatsOutputOptions): Output {
  return natsOutput(options, createPassMetadata(metadata));
}
