// The clients of an output, which those of a later version of it take over while they stay connected.

import { type Clients, DemandListeners } from "../component/clients.ts";
import type { ComponentContext, Delivered } from "../component/component.ts";
import type { ClientsOfEndpoint } from "../component/endpoint.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import type { Batch } from "../message/message.ts";

/** Clients that can be handed on, with the messages that wait for them. */
export class OutputClients implements Clients, ClientsOfEndpoint {
  readonly #listeners = new DemandListeners();
  #clients: Clients;
  /** Whether no other output has taken them over. */
  #isOwner = true;
  #context: ComponentContext | undefined;
  #unsubscribe: () => void;

  constructor(clients: Clients) {
    this.#clients = clients;
    this.#unsubscribe = clients.onChange(() => this.#listeners.notify());
  }

  /** Has what was written, and is written from now on, go to the clients of `other`, and those who join either be one group. */
  takeOver(other: ClientsOfEndpoint): boolean {
    if (!(other instanceof OutputClients) || other === this || !other.#isOwner) return false;
    if (other.#clients.constructor !== this.#clients.constructor) return false;
    this.#isOwner = true;
    other.#isOwner = false;
    // They are the same already where a handover is undone.
    if (this.#clients === other.#clients) return true;
    this.#clients = other.#clients;
    this.#unsubscribe();
    this.#unsubscribe = this.#clients.onChange(() => this.#listeners.notify());
    if (this.#context !== undefined) this.#clients.begin?.(this.#context);
    this.#listeners.notify();
    return true;
  }

  begin(context: ComponentContext): void {
    this.#context = context;
    this.#clients.begin?.(context);
  }

  get wanted(): boolean {
    return this.#clients.wanted;
  }

  get clients(): number {
    return this.#clients.clients ?? 0;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  release(): void {
    if (this.#isOwner) this.#clients.release?.();
  }

  join(client: PoolClient): PoolMembership {
    return this.#clients.join(client);
  }

  resume(client: PoolClient, id: string): Promise<PoolMembership> | undefined {
    return this.#clients.resume?.(client, id);
  }

  write(batch: Batch): Promise<Delivered> {
    return this.#clients.write(batch);
  }

  /** Ends the clients, unless others have taken them over; the signal of the output tells why. */
  close(): void {
    this.#unsubscribe();
    if (this.#isOwner) this.#clients.close(this.#context?.signal.aborted === false);
  }
}
