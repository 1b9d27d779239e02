// One API of a deployment, and the outcome of deploying it.

import type { ApiDefinition } from "../../gateway.ts";
import type { StreamDigests } from "../artifact/manifest.ts";

/** One API of a deployment. */
export interface DeployedApi {
  readonly definition: ApiDefinition;
  /** The digest of the module with the definition: the API is left alone if the digest is unchanged. */
  readonly digest: string;
  /** Digests by stream: parts with unchanged digests are left alone. */
  readonly streams: Readonly<Record<string, StreamDigests>>;
  /** Streams that an operator stopped. */
  readonly stopped: ReadonlySet<string>;
  /** A number by stream that increases when an operator restarts the stream. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** The outcome of one API in a deployment. */
export interface ApiOutcome {
  readonly api: string;
  /** `rolled back`: the version before continues. */
  readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
  /** Why it was rolled back, for operators. */
  readonly reason?: string;
}
