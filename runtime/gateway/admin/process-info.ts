// What operators ask a gateway about itself: its version, and since when it runs.

import { productVersion } from "../../generated/product-version.ts";

/** What `/info` answers. */
export interface ProcessInfo {
  /** Of the runtime that the gateway was built with. */
  readonly version: string;
  /** Version of Node.js. */
  readonly node: string;
  /** ISO time of the start of the process; of the primary one where there are workers. */
  readonly startedAt: string;
}

/** The process that answers. */
export function processInfo(): ProcessInfo {
  return {
    version: productVersion,
    node: process.versions.node,
    startedAt: new Date(performance.timeOrigin).toISOString(),
  };
}
