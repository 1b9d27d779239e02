import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { headers as createHeaders, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import type { Delivered } from "../../../component/component.ts";
import { joinDelivered } from "../../../component/outcomes.ts";
import { Rounds } from "../../../concurrency/rounds.ts";
import { GatewayError } from "../../../errors.ts";
import { natsFailure, reasonOf } from "../client.ts";
import { checkFits } from "../grammar.ts";

/** Milliseconds that a stream may take to confirm a message, with the time that a lost connection takes to come back. */
const confirmationLimit = 10_000;

/** Bytes of headers that a stream stores with a message. */
const largestHeaders = 65_535;

/** What the client sends with a message that has none. */
const noHeaders = /* @__PURE__ */ createHeaders();

/** A message on its way to a stream. */
export interface Publication {
  readonly subject: string;
  readonly content: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** Messages that streams store, from the opened connection to its end. */
export class Publishing {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  /** Sends again what was sent and not answered, the oldest first. */
  readonly #unanswered = new Set<() => void>();
  /** The client writes to its socket once for what is published at once: messages of one turn of the event loop. */
  readonly #rounds = new Rounds<() => void>(async (sends) => {
    // What is not sent now is sent with all that is not answered, when the connection is back.
    if (this.#connected) for (const send of sends) send();
  });
  #connected = true;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    this.#client = jetstream(connection);
    void this.#watch();
  }

  /** The message itself; throws a `GatewayError` where the server would never accept it. */
  prepare(publication: Publication): Publication {
    checkFits(this.#connection, publication.content, publication.headers ?? noHeaders, largestHeaders);
    return publication;
  }

  /**
   * Sends the messages in their order; resolves once a stream has stored each, or has seen its
   * `Nats-Msg-Id` before. Rejects with a `GatewayError` when one of them was not stored; all are waited for. A message
   * whose answer was lost with the connection is sent again over the next one, so it may be stored twice without an id.
   */
  async publish(publications: readonly Publication[]): Promise<Delivered> {
    // While the connection is lost the client would keep what is published, without a bound.
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    return joinDelivered(publications.map((publication) => this.#publishOne(publication)));
  }

  /** Disconnects; nothing may be on its way any more. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  #publishOne({ subject, content, headers }: Publication): Promise<Delivered> {
    const end = performance.now() + confirmationLimit;
    const { promise: stored, resolve, reject } = Promise.withResolvers<Delivered>();
    let attempts = 0;
    const send = () => {
      attempts += 1;
      const attempt = attempts;
      const options = {
        timeout: Math.max(1, end - performance.now()),
        ...(headers !== undefined && { headers }),
      };
      this.#client.publish(subject, content, options).then(
        () => resolve({}),
        // That an earlier attempt has no answer is known already, and is why there is this one.
        (error: unknown) => attempt === attempts && reject(failureOf(error)),
      );
    };
    this.#unanswered.add(send);
    void this.#rounds.add([send]);
    return stored.finally(() => this.#unanswered.delete(send));
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect") this.#connected = false;
      else if (type === "reconnect") {
        for (const sendAgain of this.#unanswered) sendAgain();
        this.#connected = true;
      }
    }
  }
}

/**
 * Errors of the JetStream API that are about the message itself: it or its headers are larger than the stream takes, or what
 * its headers expect of the stream (`Nats-Expected-…`, `Nats-Rollup`) is not so.
 */
const messageFaults = [10054, 10060, 10070, 10071, 10097, 10111];

/** There is no answer where no stream takes the subject, and while JetStream is not available. */
function failureOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof JetStreamApiError && messageFaults.includes(error.code)) {
    return new GatewayError(422, "JetStream refuses the message as it is", {
      cause: error,
      retryable: false,
    });
  }
  if (reasonOf(error) === "jetstream is not enabled") {
    return new GatewayError(502, "No JetStream stream takes messages of this subject", { cause: error });
  }
  return natsFailure(error, "JetStream did not store the message");
}
