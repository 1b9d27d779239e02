// Where deployments come from.

import type { ApiOutcome } from "../live/deployed-api.ts";
import type { TailedStream, TailRequest } from "../tail/sample.ts";

/** A manifest as it came: nothing of it was looked at. */
export interface SignedManifest {
  readonly bytes: Uint8Array;
  /** Hex sha256 of the bytes. */
  readonly digest: string;
  /** Base64. */
  readonly signature?: string;
}

/** What a gateway reports about itself to its management service. */
export interface GatewayReport {
  /** The deployment that is served; absent before the first. */
  readonly deployment?: number;
  /** Of the last deployment that was looked at, by API. */
  readonly outcomes: readonly ApiOutcome[];
  /** Why the last deployment that came is not the one served. */
  readonly problem?: string;
  /** What belongs to the process has changed since it started. */
  readonly needsRestart: boolean;
  /** `sha256-…` of the runtime. */
  readonly runtime: string;
  /** As `/streams` of the listener for operators. */
  readonly streams: readonly unknown[];
}

/** A place that holds one deployment at a time. Everything it gives is to be verified. */
export interface ArtifactSource {
  /** For people. */
  readonly name: string;
  /**
   * The manifest that is there; where that is the one of digest `known`, the next one, or `undefined` when none came
   * within `wait` milliseconds. Rejects when the place cannot be reached or answers nonsense.
   */
  next(known: string | undefined, wait: number, signal: AbortSignal): Promise<SignedManifest | undefined>;
  /** The bytes of a blob, of at most `maximumBlobBytes`. */
  blob(digest: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Says how the gateway is, and gives what is to be looked at, if anything; absent where nothing listens. */
  report?(report: GatewayReport, signal: AbortSignal): Promise<TailRequest | undefined>;
  /** Hands over what was seen of streams that are looked at, and gives the same. */
  showMessages?(seen: readonly TailedStream[], signal: AbortSignal): Promise<TailRequest | undefined>;
}

/** Largest module that is read; usual ones have some thousand bytes. */
export const maximumBlobBytes = 32 * 1024 * 1024;
