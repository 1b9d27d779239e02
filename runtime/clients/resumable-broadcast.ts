// A broadcast whose clients can come back to where they were.

import type { Clients, Membership, PoolClient } from "../component/clients.ts";
import type { ComponentContext } from "../component/component.ts";
import { decodePositions } from "../message/positions.ts";
import { Broadcast } from "./broadcast.ts";
import { EventIds } from "./event-ids.ts";
import { Resumption } from "./resumption.ts";

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

  /** A word that is none of ours begins with what comes now. */
  resume(client: PoolClient, id: string): Promise<Membership> | undefined {
    const from = decodePositions(id);
    return from && this.#resumption?.resume(client, from);
  }
}
