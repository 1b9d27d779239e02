// A broadcast whose clients can resume from the last event that they received.

import type { Clients } from "../component/clients.ts";
import type { ComponentContext, StreamSource } from "../component/component.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import { abort } from "../concurrency/abort.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { decodePositions, hasReached, type Positions } from "../message/positions.ts";
import { type Replay, startReplay } from "../stream/replay.ts";
import { Broadcast } from "./broadcast.ts";
import { EventIds } from "./event-ids.ts";

/** Milliseconds between two checks whether the stream reads its source. */
const readAgainAfter = 50;

/** One client from its return until it has caught up with the other clients. */
class CatchingUp implements PoolMembership {
  readonly #client: PoolClient;
  readonly #clients: Broadcast;
  readonly #gone = new AbortController();
  readonly #tried = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #source: StreamSource;
  /** The position at which its next reader begins. */
  #from: Positions;
  #replay: Replay | undefined;
  /** The ends of the source when they were last read. */
  #ends: Positions | undefined;
  /** Whether the stream was reading at that time: messages after `#ends` then also reach the other clients. */
  #isRead = false;
  /** What the other clients had been sent when it joined them: its own reader has to send it that much. */
  #joinedAt: Positions | undefined;
  #member: PoolMembership | undefined;
  /** What its own reader had sent it in the end. The other clients may get these messages only now, or a second time. */
  #had: Map<string, bigint> = new Map();
  /** The generation of the input that `#had` describes. */
  #hadOf: number | undefined;
  #ids = new EventIds(() => undefined);
  /** Counts its readers: messages of an earlier reader are dropped once the next one begins. */
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

  /** Resolves when its reader has begun for the first time, or has failed to. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Whether its own reader sends nothing more: the client has caught up or has left. */
  get isOver(): boolean {
    return this.#gone.signal.aborted || !this.#isHeld;
  }

  /**
   * Reads until the client has caught up or has left. Calls `onBegin` when reading has begun. Rejects with a `GatewayError`
   * if the source cannot be read.
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
    // The stream may wait for a client to connect; it begins to read when this one has joined the others.
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
      // After a failure the next attempt reads the positions again.
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
    abort(this.#gone);
    this.#wake();
    this.#member?.leave();
    void this.#end();
  }

  /** Queues a batch: batches are written concurrently and sent one after another. */
  #write(batch: Batch, reader: number): Promise<void> {
    for (const message of batch) this.#ids.expect(message);
    this.#written = this.#written.then(() => this.#send(batch, reader));
    // The caller gets the failure. The next write is independent of it.
    this.#written.catch(() => undefined);
    return this.#written;
  }

  /** Sends one message after another, each when the client has confirmed the one before. */
  async #send(batch: Batch, reader: number): Promise<void> {
    // The rest is useless once the client has left, has joined the others, or is served by its next reader.
    const isUseless = () => this.isOver || reader !== this.#reader;
    for (const message of batch) {
      // The first messages arrive before the reader has started and knows their ids.
      while ((this.#replay === undefined || !this.#client.isReady()) && !isUseless()) await this.#change();
      if (isUseless()) return;
      const confirmed = this.#change();
      this.#client.send(
        message,
        { confirm: () => this.#wake(), giveBack: () => undefined },
        this.#ids.idAfter(message),
      );
      await confirmed;
    }
  }

  /** Resolves when the client has confirmed a message, can take more, or has left. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #advance(): void {
    const positions = this.#replay?.undelivered();
    if (positions === undefined || this.#ends === undefined || this.#gone.signal.aborted) return;
    if (this.#member === undefined && hasReached(positions, this.#ends)) {
      this.#joinedAt = this.#clients.written;
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

  /** The client as a member of the broadcast: it skips messages that its own reader has already sent. */
  #amongOthers(client: PoolClient): PoolClient {
    const isBehind = () => this.#had.size > 0;
    return {
      get confirmsTogether() {
        return client.confirmsTogether === true && !isBehind();
      },
      end: (isReplaced) => client.end(isReplaced),
      isReady: () => !this.#isHeld && client.isReady(),
      send: (message, receipt, id) => {
        // Asynchronous: a long queue would otherwise be confirmed by one nested call per message.
        if (this.#has(message)) queueMicrotask(() => receipt.confirm());
        else client.send(message, receipt, id);
      },
    };
  }

  /** Whether its own reader has sent the message, until the broadcast has come as far in that part of the source. */
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

/** Clients that all get every message, with an event id if the source has positions. */
export function resumableBroadcast(): Clients {
  return new ResumableBroadcast();
}

class ResumableBroadcast extends Broadcast {
  #resumption: Resumption | undefined;

  begin(context: ComponentContext): void {
    const { source } = context;
    // A later version of the output keeps the same clients: for them the stream is the same.
    if (source === undefined || this.#resumption !== undefined) return;
    this.follow(
      new EventIds((isHanded, part) => source.undelivered(isHanded, part)),
      () => source.generation,
    );
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

/** The most clients of one output that catch up at the same time: each has a reader of its own. */
const mostReplays = 16;
/** The most clients that wait for their turn while they stay connected. */
const mostWaiting = 4096;
/** Milliseconds between attempts to read a source that cannot be read. */
const readAgainPauses = { first: 200, longest: 5000 };

/** The clients of a broadcast that are catching up. */
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
   * Sends a client the messages after `from`, then lets it join the others. The client stays connected while too many others
   * catch up and while the source cannot be read: browsers do not reconnect after a response other than 200. No message is
   * missed, and none is sent twice unless the input collects batches: which message a result was made of is then unknown.
   * Rejects with a `GatewayError` (503) if too many clients wait.
   */
  async resume(client: PoolClient, from: Positions): Promise<PoolMembership> {
    if (this.#replays.waiting >= mostWaiting) {
      throw new GatewayError(503, "Too many clients are catching up at the moment", { retryAfter: 1 });
    }
    const catchingUp = new CatchingUp(client, this.#clients, this.#source, from);
    this.#catchingUp.add(catchingUp);
    const hasTurn = !this.#fails && this.#catchingUp.size <= mostReplays;
    const over = this.#seeThrough(catchingUp).finally(() => this.#catchingUp.delete(catchingUp));
    // In parts of the source that its event id does not name, the client begins with new messages. These may come after the
    // response only if it waits here.
    if (hasTurn) await Promise.race([catchingUp.tried, over]);
    return catchingUp;
  }

  /** Ends the clients that are catching up, as `Clients.close`. */
  close(isReplaced: boolean): void {
    abort(this.#closing);
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
          // Within its turn, so that the next client does not retry immediately.
          await pause(this.#backoff.next(), signal);
        }
      });
    }
  }

  /** Lets only one client retry while the source cannot be read. */
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
