import { setImmediate as nextTurn } from "node:timers/promises";
import { type MsgHdrs, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import type { Delivered, Output } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { Rounds } from "../../concurrency/rounds.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import type { CheckText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { connectNats, natsFailure } from "./client.ts";
import { type NatsOutputOptions, natsOutputDefaults } from "./generated/output-options.ts";
import { checkFits, subjectCheck } from "./grammar.ts";
import { createHeaderMaker, createPassMetadata, type MakeHeaders, type PassMetadata } from "./headers.ts";

/**
 * Publishes each message to a subject. A write resolves once the server has taken all its messages: it
 * has answered a question that was sent after them. `pass` chooses metadata that travels with a message; a
 * gateway whose document has no `metadata` carries no filter.
 */
export function natsOutput(options: PlainOptions, pass?: PassMetadata): Output {
  const settings = { ...natsOutputDefaults, ...options };
  const inFlight = new Semaphore(settings.max_in_flight);
  let writing: Writing | undefined;
  return {
    async start(context) {
      writing = new Writing(
        settings,
        createHeaderMaker(settings.headers, pass),
        await connectNats(settings, context),
      );
    },
    write(batch) {
      const started = writing;
      if (started === undefined) return Promise.reject(new GatewayError(503, "NATS is not connected"));
      return inFlight.use(() => started.write(batch));
    },
    async close() {
      await inFlight.idle();
      await writing?.close();
    },
  };
}

type PlainOptions = Omit<NatsOutputOptions, "metadata">;

/** A message that the server can take. */
interface Publication {
  readonly subject: string;
  readonly content: Uint8Array;
  readonly headers: MsgHdrs | undefined;
}

/** One output from `start` to `close`. */
class Writing {
  readonly #options: PlainOptions;
  readonly #makeHeaders: MakeHeaders;
  readonly #connection: NatsConnection;
  readonly #checkSubject: CheckText;
  /** The client sends each message at once; those of one turn of the event loop are one write here, and one question. */
  readonly #rounds: Rounds<Publication>;
  /** Subjects the server refused, with the number of the newest refusal. */
  readonly #refusals = new Map<string, number>();
  #refusalCount = 0;
  #connected = true;
  #closed: Promise<void> | undefined;

  constructor(options: PlainOptions, makeHeaders: MakeHeaders, connection: NatsConnection) {
    this.#options = options;
    this.#checkSubject = subjectCheck(options.subject);
    this.#makeHeaders = makeHeaders;
    this.#connection = connection;
    this.#rounds = new Rounds((publications) => this.#publish(publications));
    void this.#watch();
  }

  write(batch: Batch): Promise<Delivered> {
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    const before = this.#refusalCount;
    const publications = prepareAll(batch, (message, index) => this.#prepare(message, batch, index));
    return this.#rounds.add(publications).then(
      () => {
        // Hardly ever is anything refused.
        if (this.#refusalCount > before) this.#requireTaken(publications, before);
        return {};
      },
      (error: unknown) => {
        throw natsFailure(error, "NATS did not confirm the message");
      },
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

  async #publish(publications: readonly Publication[]): Promise<void> {
    for (const { subject, content, headers } of publications) {
      this.#connection.publish(subject, content, headers === undefined ? {} : { headers });
    }
    await this.#connection.flush();
    await nextTurn(); // a refusal comes before the answer, but is handed on one turn later
  }

  #requireTaken(publications: readonly Publication[], before: number): void {
    const refused = publications.some(({ subject }) => (this.#refusals.get(subject) ?? 0) > before);
    if (refused) throw new GatewayError(502, "NATS does not allow the subject", { retryable: false });
  }

  #prepare(message: Message, batch: Batch, index: number): Publication {
    const subject = this.#checkSubject(textOf(this.#options.subject, batch, index));
    const content = message.bytes();
    const headers = this.#makeHeaders(batch, index);
    checkFits(this.#connection, content, headers);
    return { subject, content, headers };
  }

  #noteRefusal(error: Error): void {
    if (!(error instanceof PermissionViolationError) || error.operation !== "publish") return;
    this.#refusalCount += 1;
    this.#refusals.set(error.subject, this.#refusalCount);
  }

  /** While the connection is lost the client would keep what is published, without a bound. */
  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") this.#connected = false;
      else if (status.type === "reconnect") this.#connected = true;
      else if (status.type === "error") this.#noteRefusal(status.error);
    }
  }
}

/** As `natsOutput`, with the metadata that `metadata` lets through as headers. */
export function filteredNatsOutput({ metadata, ...options }: NatsOutputOptions): Output {
  return natsOutput(options, createPassMetadata(metadata));
}
