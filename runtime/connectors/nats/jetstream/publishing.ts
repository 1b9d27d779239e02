import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/transport-node";
import type { MessageOutcome } from "../../../component/outcomes.ts";
import type { Text } from "../../../component/text.ts";
import { failedMessage, unfitMessage } from "../../../component/unfit-messages.ts";
import { Rounds } from "../../../concurrency/rounds.ts";
import { Limited, TimeLimits } from "../../../concurrency/time-limits.ts";
import { TransientMap } from "../../../concurrency/transient.ts";
import { GatewayError } from "../../../errors.ts";
import { prepareAll } from "../../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../../message/message.ts";
import { natsFailure, notAllowed, refusedSubject } from "../client.ts";
import type { Publisher } from "../connected-output.ts";
import { checkFits } from "../grammar.ts";

/**
 * Milliseconds that a stream may take to confirm a message, including the time to restore a lost connection. The limit
 * may end an eighth late, since all messages share a timer.
 */
const confirmationLimit = 10_000;

/** A message to publish to a stream. */
export interface Publication {
  readonly message: Message;
  readonly subject: string;
  readonly content: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** Returns what to publish for a message; throws a `GatewayError` if NATS cannot carry it. */
export type MakePublication = (message: Message, batch: Batch, index: number) => Publication;

/** A message whose acknowledgement has not arrived. */
class Unacknowledged extends Limited {
  readonly publication: Publication;
  /** The last token of the subject to which the stream replies; another one for each attempt. */
  token: string;
  isSent = false;
  readonly #outcome: MessageOutcome;
  readonly #publishing: Publishing;

  constructor(publishing: Publishing, publication: Publication, token: string, outcome: MessageOutcome) {
    super();
    this.#publishing = publishing;
    this.publication = publication;
    this.token = token;
    this.#outcome = outcome;
  }

  onTimeout(): void {
    this.#publishing.settle(this, natsFailure(new Error("timeout"), notStored));
  }

  settle(failure: GatewayError | undefined): void {
    if (failure === undefined) this.#outcome.confirm();
    else this.#outcome.refuse(failedMessage(this.publication.message, failure));
  }
}

/**
 * Publishes messages that streams store, from the opened connection to its end. A message is confirmed once a stream has
 * stored it, or has seen its `Nats-Msg-Id` before. If a response is lost with the connection, the message is sent again on
 * the next one; without an id, it may then be stored twice.
 *
 * The client's own requests need two stack traces, a timer and some ten promises for each message.
 */
export class Publishing implements Publisher {
  readonly #connection: NatsConnection;
  readonly #subject: Text;
  readonly #make: MakePublication;
  /** The beginning of the subjects to which streams reply. */
  readonly #inbox = `${createInbox()}.`;
  #subscription: Subscription | undefined;
  /** The messages by token, in the order in which they are sent. */
  readonly #unacknowledged = new TransientMap<string, Unacknowledged>();
  #attempts = 0;
  readonly #limits = new TimeLimits(confirmationLimit);
  /** Combines the messages of one turn of the event loop: the client then writes to its socket only once. */
  readonly #rounds = new Rounds<Unacknowledged>(async (messages) => {
    // Messages that are not sent now are sent with all unacknowledged ones when the connection is restored.
    if (!this.#connected) return;
    for (const message of messages)
      if (!message.isSent && this.#unacknowledged.has(message.token)) this.#send(message);
  });
  #connected = true;

  /** `subject`: where the messages go, as the document has it. */
  constructor(connection: NatsConnection, subject: Text, make: MakePublication) {
    this.#connection = connection;
    this.#subject = subject;
    this.#make = make;
    void this.#watch();
    void connection.closed().then(() => this.#refuseAll(new Error("connection closed")));
  }

  publish(batch: Batch, outcome: MessageOutcome): void {
    const publications = prepareAll(batch, (message, index) => {
      const publication = this.#make(message, batch, index);
      checkFits(this.#connection, publication.content, publication.headers, true);
      return publication;
    });
    // While the connection is lost, the client would buffer published messages without a limit.
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    const messages = publications.map((each) => new Unacknowledged(this, each, this.#newToken(), outcome));
    for (const message of messages) {
      this.#unacknowledged.set(message.token, message);
      this.#limits.begin(message);
    }
    void this.#rounds.add(messages);
  }

  async close(): Promise<void> {
    this.#limits.close();
    await this.#connection.close();
  }

  /** Ends the wait for a message: it is stored, or not because of `failure`. */
  settle(message: Unacknowledged, failure: GatewayError | undefined): void {
    if (!this.#unacknowledged.delete(message.token)) return;
    this.#limits.leave(message);
    message.settle(failure);
  }

  #newToken(): string {
    this.#attempts += 1;
    return this.#attempts.toString(36);
  }

  #send(message: Unacknowledged): void {
    const { subject, content, headers } = message.publication;
    const reply = this.#inbox + message.token;
    message.isSent = true;
    try {
      this.#subscription ??= this.#connection.subscribe(`${this.#inbox}*`, {
        callback: (error, response) => this.#receive(error, response),
      });
      this.#connection.publish(subject, content, headers === undefined ? { reply } : { reply, headers });
    } catch (error) {
      this.settle(message, natsFailure(error, notStored));
    }
  }

  /** Sends messages again whose acknowledgements were lost. Those of earlier attempts no longer count. */
  #sendAgain(): void {
    for (const message of this.#unacknowledged.values()) {
      this.#unacknowledged.delete(message.token);
      message.token = this.#newToken();
      this.#unacknowledged.set(message.token, message);
      this.#send(message);
    }
  }

  #receive(error: Error | null, response: Msg): void {
    if (error === null) {
      const message = this.#unacknowledged.get(response.subject.slice(this.#inbox.length));
      if (message !== undefined) this.settle(message, failureIn(response, message.publication));
    } else {
      // The server does not allow the subscription, and the client has ended it.
      this.#subscription = undefined;
      this.#refuseAll(error);
    }
  }

  #refuseAll(error: Error): void {
    for (const message of this.#unacknowledged.values()) this.settle(message, natsFailure(error, notStored));
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") this.#connected = false;
      else if (status.type === "reconnect") {
        // The client reports a restored connection once more for each attempt that the server has ended.
        if (!this.#connected) this.#sendAgain();
        this.#connected = true;
      } else if (status.type === "error") this.#noteRefusal(status.error);
    }
  }

  /** The server names the subject that it refuses, not the message: it refuses them in their order. */
  #noteRefusal(error: Error): void {
    const subject = refusedSubject(error);
    if (subject === undefined) return;
    const isRefused = ({ isSent, publication }: Unacknowledged) => isSent && publication.subject === subject;
    const refused = this.#unacknowledged.values().find(isRefused);
    if (refused !== undefined)
      this.settle(refused, notAllowed(refused.publication.message, this.#subject, error));
  }
}

const notStored = "JetStream did not store the message";

/** A reply of a stream. */
interface Reply {
  readonly stream?: unknown;
  readonly error?: { readonly err_code?: number; readonly description?: string };
}

/**
 * JetStream API errors that concern the message itself: it or its headers are too large for the stream, a condition in
 * its headers (`Nats-Expected-…`, `Nats-Rollup`) does not hold, or one of them is invalid (`Nats-TTL`, `Nats-Schedule…`).
 */
const messageFaults: readonly unknown[] = [
  10054, 10060, 10070, 10071, 10097, 10111, 10164, 10165, 10166, 10189, 10190, 10191,
];

/** Returns the reason why a message was not stored; `undefined` if it was. */
function failureIn(response: Msg, { message }: Publication): GatewayError | undefined {
  let reply: Reply | null;
  // Another client that receives the subject may respond as well, even with headers that the client cannot read.
  try {
    // The server itself responds if nothing receives the subject.
    if (response.data.length === 0 && response.headers?.code === 503)
      return new GatewayError(502, "No JetStream stream captures this subject");
    reply = response.json();
  } catch (error) {
    return new GatewayError(502, notStored, { cause: error });
  }
  if (typeof reply?.error === "object" && reply.error !== null) {
    const { err_code: code, description } = reply.error;
    const error = Object.assign(new Error(description), { code });
    if (!messageFaults.includes(code)) return natsFailure(error, notStored);
    return unfitMessage(
      message,
      new GatewayError(422, "JetStream rejects the message", { cause: error, retryable: false }),
    );
  }
  return typeof reply?.stream === "string" && reply.stream !== ""
    ? undefined
    : new GatewayError(502, notStored);
}
