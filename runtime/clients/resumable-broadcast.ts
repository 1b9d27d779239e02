// A broadcast whose clients can come back to where they were.

import type { Clients } from "../component/clients.ts";
import type { ComponentContext, StreamSource } from "../component/component.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import { decodePositions, type Positions } from "../message/positions.ts";
import { Broadcast } from "./broadcast.ts";
import { CatchingUp } from "./catching-up.ts";
import { EventIds } from "./event-ids.ts";

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
