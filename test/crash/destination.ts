import type { TcpProxy } from "../harness/tcp-proxy.ts";
import type { Ledger } from "./ledger.ts";

/** Where the messages have to arrive. */
export interface Destination {
  /** The stream's `output`. */
  readonly output: object;
  readonly ledger: Ledger;
  /** Whether it has the messages of one key in the order in which they were written. */
  readonly keepsOrder?: boolean;
  /** Resolves when the ledger has all that is there now. */
  settle(): Promise<void>;
  /** What stands between the gateway and the destination. */
  readonly proxy: TcpProxy;
  /** Stops the destination and starts it with all it holds; without it, it cannot be restarted. */
  restart?(): Promise<void>;
  /** Whether its reader is given again, after a restart, what it had read. */
  readonly repeatsAfterRestart?: boolean;
  /** Whether it takes nothing twice, whatever happens. */
  readonly dropsRepeats?: boolean;
  close(): Promise<void>;
}
