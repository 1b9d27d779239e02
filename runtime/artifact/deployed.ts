// What a gateway is given to run when APIs are deployed to it one by one, and what it says came of that.

import type { ApiDefinition } from "../gateway.ts";
import type { StreamDigests } from "./manifest.ts";

/** An API as it is deployed. */
export interface DeployedApi {
  readonly definition: ApiDefinition;
  /** Of its module: an equal one is the same API, to be left alone. */
  readonly digest: string;
  readonly streams: Readonly<Record<string, StreamDigests>>;
  /** Streams that an operator stopped. */
  readonly stopped: ReadonlySet<string>;
  /** By stream: a number that has grown asks for a restart. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** What became of one API. */
export interface ApiOutcome {
  readonly api: string;
  /** `rolled back`: it could not be brought in, and what ran before runs on. */
  readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
  readonly reason?: string;
}
