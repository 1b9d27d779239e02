// How an output distributes messages among its clients, if it does not send each message to one of them in turn.

import type { Clients } from "../component/clients.ts";
import { Broadcast } from "./broadcast.ts";

/** Creates the clients of a new output. */
export type Distribution = () => Clients;

/** Sends every message to every client. */
export function broadcast(): Clients {
  return new Broadcast();
}
