import type { TcpProxy } from "../harness/tcp-proxy.ts";
import type { Ledger } from "./ledger.ts";

/** Where the messages of a run must arrive. */
export interface Destination {
  /** The stream's `output`. */
  readonly output: object;
  readonly ledger: Ledger;
  /** Whether the destination has the messages of one key in the order in which they were written. */
  readonly keepsOrder?: boolean;
  /** Resolves when the ledger contains all messages that the destination has now. */
  settle(): Promise<void>;
  /** The proxy between the gateway and the destination. */
  readonly proxy: TcpProxy;
  /** Restarts the destination with all its data; absent if it cannot be restarted. */
  restart?(): Promise<void>;
  /** Whether its reader receives messages again after a restart. */
  readonly repeatsAfterRestart?: boolean;
  /** Whether the destination always drops duplicates. */
  readonly dropsRepeats?: boolean;
  close(): Promise<void>;
}
