// A gateway that follows a source of deployments: it serves the current one, and each newer one replaces it.

import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { folderSource } from "./artifact-folder.ts";
import { type Deployer, ProcessError } from "./deployer.ts";
import type { ArtifactSource, SignedManifest } from "./source.ts";

export interface FollowOptions {
  readonly deployer: Deployer;
  readonly source: ArtifactSource;
  /** Where a copy of what was served last may be, to start from while the source is away. */
  readonly cacheFolder: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Pauses after failures; from 0.5 s to 30 s by default. */
  readonly backoff?: { readonly first: number; readonly longest: number };
}

/** Milliseconds that a source may keep a gateway waiting for what is new. */
const longestWait = 25_000;

/**
 * Serves what the source has until `signal` ends it. Whatever the source does, what is served stays; a source that is away
 * is asked again with growing pauses, a deployment that was refused is looked at again until another takes its place.
 * Rejects with a `ProcessError` where the process cannot start.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { deployer, source, signal } = options;
  const backoff = createBackoff(options.backoff ?? { first: 500, longest: 30_000 });
  let served: string | undefined;
  let refused: SignedManifest | undefined;
  while (!signal.aborted) {
    // What was refused may only have lacked something that is there now.
    const wait = refused === undefined ? longestWait : backoff.next();
    const next = await ask(options, refused?.digest ?? served, wait);
    if (next === "away") {
      await pause(backoff.next(), signal);
      continue;
    }
    // It is there: when it is away another time, it may be for a moment only.
    if (refused === undefined) backoff.reset();
    const found = next ?? refused;
    if (found === undefined || found.digest === served) continue;
    refused = undefined;
    try {
      await deployer.take(found, source, signal);
      served = found.digest;
      backoff.reset();
    } catch (error) {
      if (error instanceof ProcessError) throw error;
      if (signal.aborted) return;
      deployer.refuse("deployment refused", error, source.name);
      refused = found;
      if (!deployer.isServing) await startFromCopy(options);
    }
  }
}

async function ask(
  options: FollowOptions,
  known: string | undefined,
  wait: number,
): Promise<SignedManifest | undefined | "away"> {
  const { deployer, source, signal } = options;
  try {
    return await source.next(known, wait, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    deployer.refuse("deployments cannot be read", error, source.name);
    if (!deployer.isServing) await startFromCopy(options);
    return "away";
  }
}

/** Serves the copy of what was served last, where there is one. It is verified as if it came from anywhere else. */
async function startFromCopy({ deployer, cacheFolder, signal }: FollowOptions): Promise<void> {
  if (cacheFolder === undefined) return;
  const copy = folderSource(cacheFolder);
  try {
    const found = await copy.next(undefined, 0, signal);
    if (found !== undefined) await deployer.take(found, copy, signal, { ownCopy: true });
  } catch (error) {
    if (error instanceof ProcessError) throw error;
    deployer.refuse("the copy of what was served last cannot be used", error, copy.name);
  }
}
