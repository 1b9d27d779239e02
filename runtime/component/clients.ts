// The interface between an output and its connected clients, which does not depend on how messages are distributed
// among them.

import type { BackoffOptions } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Delivered, Demand, OutcomeListener } from "./component.ts";
import type { MessageGates, PoolClient, PoolMembership } from "./message-gates.ts";

/** The connected clients of one output. */
export interface Clients extends Demand {
  /**
   * The output calls this when it starts, and a later version of the output calls it again when it continues with the
   * same clients. `context` gives the clients access to the source of the stream.
   */
  begin?(context: ComponentContext): void;
  /**
   * Adds a client that received the message with this `id` last, and first sends it the messages that followed;
   * `undefined` if the position cannot be determined. Rejects with a `GatewayError` like `Resumption.resume`.
   */
  resume?(client: PoolClient, id: string): Promise<PoolMembership> | undefined;
  /** Adds a client; ends it immediately if the output is closed. */
  join(client: PoolClient): PoolMembership;
  /** Resolves when every message has been delivered to the clients that it is for. */
  write(batch: Batch): Promise<Delivered>;
  /** As `Output.writeEach`. */
  writeEach(messages: Batch, listener: OutcomeListener): void;
  /** Refuses the waiting messages and ends every client, as `PoolClient.end`. */
  close(isReplaced: boolean): void;
}

/** The listeners that are called when the first client joins and when the last one leaves. */
export class DemandListeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The delays before a message that a client rejected is offered to it again, in milliseconds. */
export const clientRetryDelays: BackoffOptions = { first: 100, longest: 10_000 };

/**
 * Not retryable: the caller returns the message to its input, so that the input can release it. It does not count as a
 * failure of the stream.
 */
export function noClientIsThere(): GatewayError {
  return new GatewayError(503, "No client is connected", { retryable: false, isReturn: true });
}

/** Not retryable either: the error for messages that are undelivered when the gateway stops. */
export function clientsAreLeaving(): GatewayError {
  return new GatewayError(503, "Gateway is closing", { retryable: false });
}

/** Returns why new messages are refused, if they are; `isReleased`: until a client joins again. */
export function refusalOf(isClosed: boolean, isReleased: boolean): GatewayError | undefined {
  if (isClosed) return clientsAreLeaving();
  return isReleased ? noClientIsThere() : undefined;
}

/** Returns the clients of an output with a `join` that applies the limits of `gates` to each new client. */
export function gatedClients(clients: Clients, gates: MessageGates | undefined): Pick<Clients, "join"> {
  return gates === undefined ? clients : { join: gates.toClient((client) => clients.join(client)) };
}
