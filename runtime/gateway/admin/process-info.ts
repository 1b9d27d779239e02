// What operators can query about the gateway process: its versions and its start time.

import { productVersion } from "../../generated/product-version.ts";

/** The response of `/info`. */
export interface ProcessInfo {
  /** Version of the runtime that the gateway was built with. */
  readonly version: string;
  /** Version of Node.js. */
  readonly node: string;
  /** ISO time when the process started; with workers, that of the primary process. */
  readonly startedAt: string;
}

/** Returns the information about this process. */
export function processInfo(): ProcessInfo {
  return {
    version: productVersion,
    node: process.versions.node,
    startedAt: new Date(performance.timeOrigin).toISOString(),
  };
}
