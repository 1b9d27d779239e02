// How the messages of an output are distributed among its clients.

import { Broadcast } from "./broadcast.ts";
import { ClientPool } from "./client-pool.ts";
import type { Clients } from "./clients.ts";

/** `share`: each message goes to one client, in turn; `broadcast`: to each. */
export type Distribution = "share" | "broadcast";

/** The clients of a new output. */
export function createClients(distribution: Distribution): Clients {
  return distribution === "broadcast" ? new Broadcast() : new ClientPool();
}
