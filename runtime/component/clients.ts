// What connected clients of an output are to it, however its messages are distributed among them.

import type { BackoffOptions } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Delivered, Demand } from "./component.ts";
import type { MessageGates, PoolClient, PoolMembership } from "./message-gates.ts";

/** The clients of one output. */
export interface Clients extends Demand {
  /**
   * To be called when the output starts, and again when a later version of it goes on with its clients; where these get
   * what the stream's source says of its messages.
   */
  begin?(context: ComponentContext): void;
  /**
   * Adds a client that had the message of this `id` last, with what came after it first; `undefined` where that cannot be
   * told. Rejects with a `GatewayError`, as `Resumption.resume`.
   */
  resume?(client: PoolClient, id: string): Promise<PoolMembership> | undefined;
  /** Adds a client; ends it at once when the output is closed. */
  join(client: PoolClient): PoolMembership;
  /** Resolves once every message is delivered to the clients it is meant for. */
  write(batch: Batch): Promise<Delivered>;
  /** Refuses what waits and ends every client, as `PoolClient.end`. */
  close(isReplaced: boolean): void;
}

/** Who listens for the first client and the last one. */
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

/** Not retryable: the holder of the write gives it back, so that the input can let go of it. It is not a failure of the stream. */
export function noClientIsThere(): GatewayError {
  return new GatewayError(503, "No client is connected", { retryable: false, isReturn: true });
}

/** As above, for what the end of the gateway leaves undelivered. */
export function clientsAreLeaving(): GatewayError {
  return new GatewayError(503, "Gateway is closing", { retryable: false });
}

/** The clients of an output, which take in one that is held to its limits. */
export function gatedClients(clients: Clients, gates: MessageGates | undefined): Pick<Clients, "join"> {
  return gates === undefined ? clients : { join: gates.toClient((client) => clients.join(client)) };
}
