import { setImmediate as nextTurn } from "node:timers/promises";
import { headers as createHeaders, Events, type MsgHdrs, type NatsConnection } from "nats";
import { type Output, type Text, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message.ts";
import { connectNats, natsFailure } from "./client.ts";
import { Confirmations } from "./confirmations.ts";
import type { NatsOutputOptions } from "./generated/output-options.ts";

/**
 * Publishes each message to a subject. A write resolves once the server has taken all its messages: it
 * has answered a question that was sent after them. Only `headers` travel with a message.
 */
export function natsOutput(options: NatsOutputOptions): Output {
  let writing: Writing | undefined;
  return {
    async start(context) {
      writing = new Writing(options, await connectNats(options.urls, context));
    },
    async write(batch) {
      if (writing === undefined) throw new GatewayError(503, "NATS is not connected");
      await writing.write(batch);
      return {};
    },
    async close() {
      await writing?.close();
    },
  };
}

/** One output from `start` to `close`. */
class Writing {
  readonly #options: NatsOutputOptions;
  readonly #connection: NatsConnection;
  readonly #confirmations: Confirmations;
  /** Subjects the server refused, with the number of the newest refusal. */
  readonly #refusals = new Map<string, number>();
  #refusalCount = 0;
  #connected = true;
  #closed: Promise<void> | undefined;

  constructor(options: NatsOutputOptions, connection: NatsConnection) {
    this.#options = options;
    this.#connection = connection;
    this.#confirmations = new Confirmations(async () => {
      await connection.flush();
      await nextTurn(); // a refusal comes before the answer, but is handed on one turn later
    });
    void this.#watch();
  }

  async write(batch: Batch): Promise<void> {
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    const before = this.#refusalCount;
    try {
      const subjects = batch.map((message, index) => this.#publish(message, batch, index));
      await this.#confirmations.confirm();
      const refused = subjects.some((subject) => (this.#refusals.get(subject) ?? 0) > before);
      if (refused) throw new GatewayError(502, "NATS does not allow the subject", { retryable: false });
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      throw natsFailure(error, "NATS did not confirm the message");
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#confirmations.idle();
    await this.#connection.close();
  }

  #publish(message: Message, batch: Batch, index: number): string {
    const subject = textOf(this.#options.subject, batch, index);
    const headers = createMessageHeaders(this.#options.headers ?? {}, batch, index);
    this.#connection.publish(subject, message.bytes(), headers === undefined ? {} : { headers });
    return subject;
  }

  /** While the connection is lost the client would keep what is published, without a bound. */
  async #watch(): Promise<void> {
    for await (const { type, permissionContext } of this.#connection.status()) {
      if (type === Events.Disconnect) this.#connected = false;
      else if (type === Events.Reconnect) this.#connected = true;
      else if (permissionContext?.operation === "publish") {
        this.#refusalCount += 1;
        this.#refusals.set(permissionContext.subject, this.#refusalCount);
      }
    }
  }
}

function createMessageHeaders(
  fields: Readonly<Record<string, Text>>,
  batch: Batch,
  index: number,
): MsgHdrs | undefined {
  const entries = Object.entries(fields);
  if (entries.length === 0) return undefined;
  const headers = createHeaders();
  for (const [name, value] of entries) headers.set(name, textOf(value, batch, index));
  return headers;
}
