// A broadcast whose clients can come back to where they were.

import type { Clients } from "../component/clients.ts";
import type { ComponentContext, StreamSource } from "../component/component.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { decodePositions, hasReached, type Positions } from "../message/positions.ts";
import { type Replay, startReplay } from "../stream/replay.ts";
import { Broadcast } from "./broadcast.ts";
import { EventIds } from "./event-ids.ts";

/** Milliseconds after which it is looked again whether the stream reads. */
const readAgainAfter = 50;

/** One client from its return until it is a client as the others. */
class CatchingUp implements PoolMembership {
  readonly #client: PoolClient;
  readonly #clients: Broadcast;
  readonly #gone = new AbortController();
  readonly #tried = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #source: StreamSource;
  /** Where its next reader begins. */
  #from: Positions;
  #replay: Replay | undefined;
  /** Where the source ended when asked last. */
  #ends: Positions | undefined;
  /** Whether the stream was reading then: messages after `#ends` also reach the other clients. */
  #isRead = false;
  /** What the others had been given when it joined them: it has to have that from its own reader. */
  #joinedAt: Positions | undefined;
  #member: PoolMembership | undefined;
  /** What it had of its own reader when that ended: the others may be given that only now, or again. */
  #had: Map<string, bigint> = new Map();
  /** Of which input `#had` tells. */
  #hadOf: number | undefined;
  #ids = new EventIds(() => undefined);
  /** Counts its readers: what one of them still has is of no use once the next begins. */
  #reader = 0;
  #written: Promise<void> = Promise.resolve();
  #isHeld = true;
  #wake: () => void = () => undefined;

  constructor(client: PoolClient, clients: Broadcast, source: StreamSource, from: Positions) {
    this.#client = client;
    this.#clients = clients;
    this.#source = source;
    this.#from = from;
  }

  /** Resolves when its reader has begun for the first time, or could not. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Whether nothing of its own reader goes out any more: it has caught up or has left. */
  get isOver(): boolean {
    return this.#gone.signal.aborted || !this.#isHeld;
  }

  /**
   * Reads until it has caught up or has left, and tells when it has begun to; rejects with a `GatewayError` when the
   * source cannot be read.
   */
  async run(signal: AbortSignal, onBegin: () => void): Promise<void> {
    if (this.isOver) return;
    try {
      await this.#begin(signal);
    } finally {
      this.#tried.resolve();
    }
    onBegin();
    await this.#ended.promise;
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const source = this.#source;
    this.#ids = new EventIds((isHanded) => this.#replay?.undelivered(isHanded));
    this.#reader += 1;
    const reader = this.#reader;
    const replay = await startReplay(source, this.#from, {
      signal: AbortSignal.any([signal, this.#gone.signal]),
      write: (batch) => this.#write(batch, reader),
      onProgress: () => this.#advance(),
    });
    this.#replay = replay;
    this.#wake();
    if (this.#gone.signal.aborted) return this.#end();
    try {
      await this.#findEnds(source, replay);
    } catch (error) {
      this.#from = this.#ids.reached() ?? this.#from;
      this.#replay = undefined;
      this.#reader += 1;
      this.#wake();
      await replay.close(); // no other code has a reference
      throw error;
    }
    // The stream may have waited for this very client, and begins when it has joined the others.
    if (!this.#isRead) void this.#findEndsLater(source, replay);
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
      // After a failure the positions are looked up again with the next attempt.
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
  #write(batch: Batch, reader: number): Promise<void> {
    for (const message of batch) this.#ids.expect(message);
    this.#written = this.#written.then(() => this.#send(batch, reader));
    // The writer gets the failure; the next write has its own turn.
    this.#written.catch(() => undefined);
    return this.#written;
  }

  /** One message after the other, each when the client has taken the one before. */
  async #send(batch: Batch, reader: number): Promise<void> {
    // Its outcome is not needed any more: the client has left, or gets it with the others or by its next reader.
    const isUseless = () => this.isOver || reader !== this.#reader;
    for (const message of batch) {
      // The first messages come before their reader says that it has started, and what their ids are.
      while ((this.#replay === undefined || !this.#client.isReady()) && !isUseless()) await this.#change();
      if (isUseless()) return;
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
      this.#hadOf = this.#source.generation;
      this.#isHeld = false;
      this.#wake();
      void this.#end();
      this.#member?.ready();
    }
  }

  /** The client as the others see it: what it has is not given to it a second time. */
  #amongOthers(client: PoolClient): PoolClient {
    return {
      end: (isReplaced) => client.end(isReplaced),
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
    if (this.#hadOf !== this.#source.generation) this.#had.clear();
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

/** Each client gets every message, with the id of its place in the source where that has places. */
export function resumableBroadcast(): Clients {
  return new ResumableBroadcast();
}

class ResumableBroadcast extends Broadcast {
  #resumption: Resumption | undefined;

  begin(context: ComponentContext): void {
    const { source } = context;
    // A later version of the output goes on with the same clients: the stream is still the same to them.
    if (source === undefined || this.#resumption !== undefined) return;
    this.follow(new EventIds((isHanded) => source.undelivered(isHanded)), () => source.generation);
    this.#resumption = new Resumption(this, source);
  }

  override close(isReplaced: boolean): void {
    super.close(isReplaced);
    this.#resumption?.close(isReplaced);
  }

  /** A client with an unknown event id begins with new messages. */
  resume(client: PoolClient, id: string): Promise<PoolMembership> | undefined {
    const from = decodePositions(id);
    return from && this.#resumption?.resume(client, from);
  }
}

/** Clients of one output that catch up at a time: each has a reader of its own. */
const mostReplays = 16;
/** Those that wait for their turn, connected. */
const mostWaiting = 4096;
/** A source that cannot be read is asked again. */
const readAgainPauses = { first: 200, longest: 5000 };

/** The clients of a broadcast that catch up. */
class Resumption {
  readonly #clients: Broadcast;
  readonly #source: StreamSource;
  readonly #closing = new AbortController();
  readonly #catchingUp = new Set<CatchingUp>();
  readonly #replays = new Semaphore(mostReplays);
  readonly #backoff = createBackoff(readAgainPauses);
  #fails = false;

  constructor(clients: Broadcast, source: StreamSource) {
    this.#clients = clients;
    this.#source = source;
  }

  /**
   * Gives the client what came after `from`, then has it join the others; it waits, connected, while as many as may do
   * and while the source cannot be read: browsers never come back to an answer that is not 200. Nothing is missing in
   * between, and nothing comes twice unless the input collects batches: of what was made of several messages no one
   * knows which. Rejects with a `GatewayError`, 503, when too many wait.
   */
  async resume(client: PoolClient, from: Positions): Promise<PoolMembership> {
    if (this.#replays.waiting >= mostWaiting) {
      throw new GatewayError(503, "Too many clients catch up at the moment", { retryAfter: 1 });
    }
    const catchingUp = new CatchingUp(client, this.#clients, this.#source, from);
    this.#catchingUp.add(catchingUp);
    const hasTurn = !this.#fails && this.#catchingUp.size <= mostReplays;
    const over = this.#seeThrough(catchingUp).finally(() => this.#catchingUp.delete(catchingUp));
    // Parts of the source that its event id does not name begin with new messages, which may follow its answer only where it
    // waits.
    if (hasTurn) await Promise.race([catchingUp.tried, over]);
    return catchingUp;
  }

  /** Ends the clients that catch up, as `Clients.close`. */
  close(isReplaced: boolean): void {
    this.#closing.abort();
    for (const each of this.#catchingUp) each.end(isReplaced);
  }

  async #seeThrough(catchingUp: CatchingUp): Promise<void> {
    const { signal } = this.#closing;
    while (!catchingUp.isOver && !signal.aborted) {
      await this.#replays.use(async () => {
        try {
          await catchingUp.run(signal, () => this.#noteBegin());
        } catch (error) {
          if (catchingUp.isOver || signal.aborted) return;
          this.#noteFailure(error);
          // Within its turn, so that the next does not ask at once.
          await pause(this.#backoff.next(), signal);
        }
      });
    }
  }

  /** While the source cannot be read one client finds out for all. */
  #noteFailure(error: unknown): void {
    if (this.#fails) return;
    this.#fails = true;
    this.#replays.limit = 1;
    const { log } = this.#source.contextOf("replay", this.#closing.signal);
    log.warn("missed messages cannot be read, retrying", { error });
  }

  #noteBegin(): void {
    this.#fails = false;
    this.#backoff.reset();
    this.#replays.limit = mostReplays;
  }
}
