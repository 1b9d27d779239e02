// How the messages of an output are distributed among its clients, where each does not go to one of them in turn.

import type { Clients } from "../component/clients.ts";
import { Broadcast } from "./broadcast.ts";

/** The clients of a new output. */
export type Distribution = () => Clients;

/** Each client gets every message. */
export function broadcast(): Clients {
  return new Broadcast();
}
