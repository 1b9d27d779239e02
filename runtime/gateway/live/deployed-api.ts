// What a deployment says of an API, and what became of it.

import type { ApiDefinition } from "../../gateway.ts";
import type { StreamDigests } from "../artifact/manifest.ts";

/** One API of a deployment. */
export interface DeployedApi {
  readonly definition: ApiDefinition;
  /** Of the module that the definition comes from: an equal one is left alone. */
  readonly digest: string;
  /** By stream: what behaves alike is left alone. */
  readonly streams: Readonly<Record<string, StreamDigests>>;
  /** Streams that an operator stopped. */
  readonly stopped: ReadonlySet<string>;
  /** By stream: counts up when an operator restarts it. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** What became of one API in a deployment. */
export interface ApiOutcome {
  readonly api: string;
  /** `rolled back`: what ran before goes on. */
  readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
  /** Why it was rolled back, in words for operators. */
  readonly reason?: string;
}
