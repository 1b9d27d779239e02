// The interface of a source of deployments.

import type { ApiOutcome } from "../live/deployed-api.ts";
import type { TailedStream, TailRequest } from "../tail/sample.ts";

/** A manifest as received, not verified yet. */
export interface SignedManifest {
  readonly bytes: Uint8Array;
  /** Hex SHA-256 of the bytes. */
  readonly digest: string;
  /** The signature in Base64. */
  readonly signature?: string;
}

/** What a gateway reports about itself to its management service. */
export interface GatewayReport {
  /** The number of the deployment that is served; absent before the first. */
  readonly deployment?: number;
  /** The outcomes of the last deployment that was examined, by API. */
  readonly outcomes: readonly ApiOutcome[];
  /** Why the last deployment that was received is not served. */
  readonly problem?: string;
  /** Whether the module of the process changed since the process started. */
  readonly needsRestart: boolean;
  /** `sha256-` and the hex digest of the runtime. */
  readonly runtime: string;
  /** The streams, as `/streams` of the admin listener returns them. */
  readonly streams: readonly unknown[];
}

/** A place that holds one deployment at a time. Everything from it must be verified. */
export interface ArtifactSource {
  /** The name in logs and error messages. */
  readonly name: string;
  /**
   * Resolves with the current manifest. If its digest is `known`, waits for the next one; resolves with `undefined` if
   * there is none within `wait` milliseconds. Rejects if the place is unreachable or its response is invalid.
   */
  next(known: string | undefined, wait: number, signal: AbortSignal): Promise<SignedManifest | undefined>;
  /** Resolves with the bytes of a blob, at most `maximumBlobBytes`. */
  blob(digest: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Reports the gateway's state; resolves with the streams to sample, if any. Absent if reports are not taken. */
  report?(report: GatewayReport, signal: AbortSignal): Promise<TailRequest | undefined>;
  /** Sends samples of streams, and resolves with the streams to sample, if any. */
  showMessages?(seen: readonly TailedStream[], signal: AbortSignal): Promise<TailRequest | undefined>;
}

/** The largest module that is read, in bytes; usual ones have some thousand. */
export const maximumBlobBytes = 32 * 1024 * 1024;
