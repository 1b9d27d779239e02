// The clients of an output. A later version of the output takes them over while they stay connected.

import { type Clients, DemandListeners } from "../component/clients.ts";
import type { ComponentContext, Delivered, OutcomeListener } from "../component/component.ts";
import type { ClientsOfEndpoint } from "../component/endpoint.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import type { Batch } from "../message/message.ts";

/** Clients, and the messages that wait for them, as they can be handed over to another output. */
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

  /** Forwards all messages, written before or later, to the clients of `other`, and joins the clients of both in one group. */
  takeOver(other: ClientsOfEndpoint): boolean {
    if (!(other instanceof OutputClients) || other === this || !other.#isOwner) return false;
    if (other.#clients.constructor !== this.#clients.constructor) return false;
    this.#isOwner = true;
    other.#isOwner = false;
    // Undoing a handover finds the clients already joined.
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

  writeEach(messages: Batch, listener: OutcomeListener): void {
    this.#clients.writeEach(messages, listener);
  }

  /** Ends the clients unless another output has taken them over. The signal of the output says why. */
  close(): void {
    this.#unsubscribe();
    if (this.#isOwner) this.#clients.close(this.#context?.signal.aborted === false);
  }
}
