// A client of a broadcast that comes back: first what it missed, read again for it alone, then what comes.

import { pause } from "./backoff.ts";
import type { Broadcast } from "./broadcast.ts";
import type { Membership, PoolClient } from "./clients.ts";
import type { StreamSource } from "./component.ts";
import { GatewayError } from "./errors.ts";
import { EventIds } from "./event-ids.ts";
import type { Batch, Message } from "./message.ts";
import { hasReached, type Positions } from "./positions.ts";
import { type Replay, startReplay } from "./replay.ts";

/** Clients of one output that catch up at a time: each has a reader of its own. */
const mostReplays = 16;

/** The clients of a broadcast that catch up. */
export class Resumption {
  readonly #clients: Broadcast;
  readonly #source: StreamSource;
  readonly #closing = new AbortController();
  readonly #catchingUp = new Set<CatchingUp>();

  constructor(clients: Broadcast, source: StreamSource) {
    this.#clients = clients;
    this.#source = source;
  }

  /**
   * Gives the client what came after `from`, then has it join the others. Nothing is missing in between, and nothing
   * comes twice unless the input collects batches: of what was made of several messages nobody knows which. Rejects with a `GatewayError`: 503 when too many catch up, 502 when the source cannot
   * be read.
   */
  async resume(client: PoolClient, from: Positions): Promise<Membership> {
    if (this.#catchingUp.size >= mostReplays) {
      throw new GatewayError(503, "Too many clients catch up at the moment", { retryAfter: 1 });
    }
    const catchingUp = new CatchingUp(client, this.#clients);
    this.#catchingUp.add(catchingUp);
    try {
      await catchingUp.begin(this.#source, from, this.#closing.signal);
    } catch (error) {
      this.#catchingUp.delete(catchingUp);
      throw error;
    }
    void catchingUp.ended.finally(() => this.#catchingUp.delete(catchingUp));
    return catchingUp;
  }

  /** Ends the clients that catch up, as `Clients.close`. */
  close(isReplaced: boolean): void {
    this.#closing.abort();
    for (const each of this.#catchingUp) each.end(isReplaced);
  }
}

/** Milliseconds after which it is looked again whether the stream reads. */
const readAgainAfter = 50;

/** One client from its return until it is a client as the others. */
class CatchingUp implements Membership {
  readonly #client: PoolClient;
  readonly #clients: Broadcast;
  readonly #gone = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #source: StreamSource | undefined;
  #replay: Replay | undefined;
  /** Where the source ended when asked last. */
  #ends: Positions | undefined;
  /** Whether the stream read then: what comes after `#ends` comes to the others as well. */
  #isRead = false;
  /** What the others had been given when it joined them: it has to have that from its own reader. */
  #joinedAt: Positions | undefined;
  #member: Membership | undefined;
  /** What it had of its own reader when that ended: the others may be given that only now, or again. */
  #had: Map<string, bigint> = new Map();
  /** Of which input `#had` tells. */
  #hadOf: number | undefined;
  readonly #ids = new EventIds((isHanded) => this.#replay?.undelivered(isHanded));
  #written: Promise<void> = Promise.resolve();
  #isHeld = true;
  #wake: () => void = () => undefined;

  constructor(client: PoolClient, clients: Broadcast) {
    this.#client = client;
    this.#clients = clients;
  }

  /** Resolves when it has caught up or has left. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async begin(source: StreamSource, from: Positions, signal: AbortSignal): Promise<void> {
    this.#source = source;
    this.#replay = await startReplay(source, from, {
      signal: AbortSignal.any([signal, this.#gone.signal]),
      write: (batch) => this.#write(batch),
      onProgress: () => this.#advance(),
    });
    if (this.#gone.signal.aborted) return this.#end();
    try {
      await this.#findEnds(source, this.#replay);
    } catch (error) {
      await this.#end(); // nobody else knows of its reader
      throw error;
    }
    // The stream may have waited for this very client, and begins when it has joined the others.
    if (!this.#isRead) void this.#findEndsLater(source, this.#replay);
  }

  async #findEnds(source: StreamSource, replay: Replay): Promise<void> {
    const isRead = source.undelivered(() => false) !== undefined;
    this.#ends = await replay.ends();
    this.#isRead = isRead;
    this.#advance();
  }

  async #findEndsLater(source: StreamSource, replay: Replay): Promise<void> {
    while (!this.#isRead && !this.#gone.signal.aborted) {
      await pause(readAgainAfter, this.#gone.signal);
      if (source.undelivered(() => false) === undefined) continue;
      // Whatever fails there, what comes next is asked for anew.
      await this.#findEnds(source, replay).catch(() => undefined);
    }
  }

  ready(): void {
    this.#wake();
    this.#member?.ready();
  }

  /** As `PoolClient.end`. */
  end(isReplaced: boolean): void {
    this.#client.end(isReplaced);
  }

  leave(): void {
    this.#gone.abort();
    this.#wake();
    this.#member?.leave();
    void this.#end();
  }

  /** Batches come side by side and go out one after the other. */
  #write(batch: Batch): Promise<void> {
    for (const message of batch) this.#ids.expect(message);
    this.#written = this.#written.then(() => this.#send(batch));
    // Whoever wrote is told; the next has its own turn.
    this.#written.catch(() => undefined);
    return this.#written;
  }

  /** One message after the other, each when the client has taken the one before. */
  async #send(batch: Batch): Promise<void> {
    for (const message of batch) {
      while (!this.#client.isReady() && !this.#isOver) await this.#change();
      // Nobody asks any more what became of it: the client has left, or is given it with the others.
      if (this.#isOver) return;
      const confirmed = this.#change();
      this.#client.send(
        message,
        () => this.#wake(),
        () => undefined,
        this.#ids.idAfter(message),
      );
      await confirmed;
    }
  }

  /** Whether nothing of its own reader goes out any more. */
  get #isOver(): boolean {
    return this.#gone.signal.aborted || !this.#isHeld;
  }

  /** Resolves when the client has taken something, can take more, or has left. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #advance(): void {
    const positions = this.#replay?.undelivered();
    if (positions === undefined || this.#ends === undefined || this.#gone.signal.aborted) return;
    if (this.#member === undefined && hasReached(positions, this.#ends)) {
      this.#joinedAt = new Map(this.#clients.written);
      this.#member = this.#clients.join(this.#amongOthers(this.#client));
    }
    if (!this.#isRead || !hasReached(positions, this.#ends)) return;
    if (this.#isHeld && this.#joinedAt !== undefined && hasReached(positions, this.#joinedAt)) {
      this.#had = new Map(this.#replay?.collects === true ? [] : this.#ids.reached());
      this.#hadOf = this.#source?.generation;
      this.#isHeld = false;
      this.#wake();
      void this.#end();
      this.#member?.ready();
    }
  }

  /** The client as the others see it: what it has is not given to it a second time. */
  #amongOthers(client: PoolClient): PoolClient {
    return {
      ...client,
      isReady: () => !this.#isHeld && client.isReady(),
      send: (message, confirm, giveBack, id) => {
        // Not at once: of a long queue each would be confirmed inside the one before.
        if (this.#has(message)) queueMicrotask(confirm);
        else client.send(message, confirm, giveBack, id);
      },
    };
  }

  /** Until the others have come as far in a part as its own reader had. */
  #has({ position }: Message): boolean {
    if (position === undefined || this.#had.size === 0) return false;
    if (this.#hadOf !== this.#source?.generation) this.#had.clear();
    const next = this.#had.get(position.part);
    if (next === undefined) return false;
    if (position.offset >= next) this.#had.delete(position.part);
    return position.offset < next;
  }

  async #end(): Promise<void> {
    const replay = this.#replay;
    this.#replay = undefined;
    await replay?.close();
    this.#ended.resolve();
  }
}
