import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { headers as createHeaders, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import type { Delivered } from "../../../component/component.ts";
import { joinDelivered } from "../../../component/outcomes.ts";
import { Rounds } from "../../../concurrency/rounds.ts";
import { TransientSet } from "../../../concurrency/transient.ts";
import { GatewayError } from "../../../errors.ts";
import { natsFailure, reasonOf } from "../client.ts";
import { checkFits } from "../grammar.ts";

/** Milliseconds that a stream may take to confirm a message, including the time to restore a lost connection. */
const confirmationLimit = 10_000;

/** Largest size of the headers that a stream stores with a message, in bytes. */
const largestHeaders = 65_535;

/** The headers that the client sends with a message without headers. */
const noHeaders = /* @__PURE__ */ createHeaders();

/** A message to publish to a stream. */
export interface Publication {
  readonly subject: string;
  readonly content: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** Publishes messages that streams store, from the opened connection to its end. */
export class Publishing {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  /** The functions that send unanswered messages again, the oldest first. */
  readonly #unanswered = new TransientSet<() => void>();
  /** Combines the messages of one turn of the event loop: the client then writes to its socket only once. */
  readonly #rounds = new Rounds<() => void>(async (sends) => {
    // Messages that are not sent now are sent with all unanswered ones when the connection is restored.
    if (this.#connected) for (const send of sends) send();
  });
  #connected = true;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    this.#client = jetstream(connection);
    void this.#watch();
  }

  /** Returns the message; throws a `GatewayError` if the server would never accept it. */
  prepare(publication: Publication): Publication {
    checkFits(this.#connection, publication.content, publication.headers ?? noHeaders, largestHeaders);
    return publication;
  }

  /**
   * Sends the messages in order. Resolves once a stream has stored each of them, or has seen its `Nats-Msg-Id`
   * before. Rejects with a `GatewayError` if one of them was not stored, after the outcome of all is known. If a
   * response is lost with the connection, the message is sent again on the next one; without an id, it may then be
   * stored twice.
   */
  async publish(publications: readonly Publication[]): Promise<Delivered> {
    // While the connection is lost, the client would buffer published messages without a limit.
    if (!this.#connected) throw new GatewayError(502, "NATS is not connected");
    return joinDelivered(publications.map((publication) => this.#publishOne(publication)));
  }

  /** Disconnects; no message may be in progress any longer. */
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
        // The failure of an earlier attempt is ignored: a later attempt is already in progress.
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
        for (const sendAgain of this.#unanswered.values()) sendAgain();
        this.#connected = true;
      }
    }
  }
}

/**
 * JetStream API errors that concern the message itself: it or its headers are too large for the stream, or a
 * condition in its headers (`Nats-Expected-…`, `Nats-Rollup`) does not hold.
 */
const messageFaults = [10054, 10060, 10070, 10071, 10097, 10111];

/** Converts a failure. No response arrives if no stream stores the subject, and while JetStream is unavailable. */
function failureOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof JetStreamApiError && messageFaults.includes(error.code)) {
    return new GatewayError(422, "JetStream rejects the message", {
      cause: error,
      retryable: false,
    });
  }
  if (reasonOf(error) === "jetstream is not enabled") {
    return new GatewayError(502, "No JetStream stream captures this subject", { cause: error });
  }
  return natsFailure(error, "JetStream did not store the message");
}
