// A gateway that serves what a source of deployments has: each newer deployment replaces the current one. It reports its state
// to the source on change, at most once a second, and every ten seconds that it is there.

import { createBackoff, pause } from "../../concurrency/backoff.ts";
import type { GatewayDefinition } from "../../gateway.ts";
import type { Logger } from "../../process/log.ts";
import type { DeployedApi } from "../live/deployed-api.ts";
import { makeLive } from "../live/live.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "../serve.ts";
import { type TailedProcess, Tailing } from "../tail/tailing.ts";
import { folderSource } from "./artifact-folder.ts";
import { type DeployableGateway, type DeployedSet, Deployer, ProcessError } from "./deployer.ts";
import { describe, type Verification } from "./deployment.ts";
import type { ArtifactSource, GatewayReport, SignedManifest } from "./source.ts";

interface FollowOptions {
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

/** Milliseconds. */
const interval = 1_000;

const longestSilence = 10_000;

interface ReportOptions {
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Looks at streams, as far as the one that is reported to asks for it. */
  readonly tailing?: TailedProcess;
}

/** Reports until `signal` ends it. Reports that do not arrive are not repeated: the next one says it all. */
export async function reportTo(
  source: ArtifactSource,
  report: () => GatewayReport | Promise<GatewayReport>,
  { log, signal, tailing }: ReportOptions,
): Promise<void> {
  if (source.report === undefined) return;
  let sent = "";
  let at = 0;
  let isHeard = true;
  while (!signal.aborted) {
    const current = await report();
    const text = JSON.stringify(current);
    if (text !== sent || performance.now() - at >= longestSilence) {
      try {
        const wish = await source.report(current, signal);
        tailing?.want(wish);
        [sent, at, isHeard] = [text, performance.now(), true];
      } catch (error) {
        if (isHeard && !signal.aborted)
          log.warn("reporting to management failed, retrying", { to: source.name, problem: describe(error) });
        isHeard = false;
        // There is no receiver for samples.
        tailing?.want(undefined);
      }
    }
    if (tailing !== undefined) await show(source, tailing, signal);
    await pause(interval, signal);
  }
  tailing?.want(undefined);
}

/** What does not arrive is lost: nothing waits for it. */
async function show(source: ArtifactSource, tailing: TailedProcess, signal: AbortSignal): Promise<void> {
  const seen = tailing.drain();
  if (seen.length === 0) return;
  try {
    tailing.want(await source.showMessages?.(seen, signal));
  } catch {
    tailing.want(undefined); // the next report says whether samples are wanted
  }
}

export interface ServeSourceOptions extends Verification {
  readonly log: Logger;
  /** Where a copy of what is served is kept. */
  readonly cacheFolder: string | undefined;
  /** Where to listen when neither `GW_LISTEN` nor the definition says. */
  readonly defaultListen: string;
  /** Starts what serves: this process, or workers. */
  readonly start: StartServed;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What serves the deployments that are taken. */
export interface ServedProcess extends DeployableGateway {
  /** The states of its streams. */
  states(): readonly unknown[] | Promise<readonly unknown[]>;
  readonly tailing: TailedProcess;
  /** Resolves when what was in flight is done. */
  close(): Promise<void>;
}

/** Starts what serves with a first set, as far as it starts with it. Rejects where it cannot start at all. */
export type StartServed = (
  definition: GatewayDefinition,
  set: DeployedSet,
  options: ServeOptions,
) => Promise<ServedProcess>;

/** This process as what serves. */
export interface SingleProcess extends ServedProcess {
  readonly gateway: RunningGateway;
}

/**
 * Serves until `signal` ends it, and resolves when what was in flight is done. Rejects with a `ProcessError` where the
 * process of the gateway cannot start.
 */
export async function serveSource(source: ArtifactSource, options: ServeSourceOptions): Promise<void> {
  const { log, cacheFolder, defaultListen, signal } = options;
  let served: ServedProcess | undefined;
  const deployer = new Deployer({
    ...options,
    async start(definition, set) {
      served = await options.start(definition, set, { log, defaultListen });
      return served;
    },
  });
  log.info("following deployments", { from: source.name, runtime: options.runtime.digest });
  const reporting = new AbortController();
  const report = async () => ({ ...deployer.report(), streams: (await served?.states()) ?? [] });
  const reported = reportTo(source, report, {
    log,
    signal: AbortSignal.any([signal, reporting.signal]),
    tailing: {
      want: (request) => served?.tailing.want(request),
      drain: () => served?.tailing.drain() ?? [],
    },
  });
  try {
    await follow({ deployer, source, cacheFolder, signal });
  } finally {
    reporting.abort();
    await Promise.all([served?.close(), reported]);
  }
}

/**
 * Has this process serve. It starts with the APIs and the owners of host names, so that no request comes before they are there.
 * Where it does not start with them all, it starts without, and what is wrong is found for each when they are applied. Rejects
 * where it cannot start at all.
 */
export async function startProcess(
  definition: GatewayDefinition,
  { apis, hostOwner }: DeployedSet,
  options: ServeOptions,
): Promise<SingleProcess> {
  const serve = (served: readonly DeployedApi[]) =>
    serveGateway({ ...definition, apis: served.map((api) => api.definition) }, { ...options, hostOwner });
  // Streams that an operator stopped are not to run for a moment first: that is for applying to see to.
  let first = apis.some(({ stopped }) => stopped.size > 0) ? [] : apis;
  let running: RunningGateway;
  try {
    running = await serve(first);
  } catch (error) {
    if (first.length === 0) throw error;
    first = [];
    running = await serve(first);
  }
  const live = makeLive(running, { deployed: first });
  const { streams } = running;
  return {
    gateway: running,
    apply: (set) => live.apply(set.apis, set.hostOwner),
    states: streams.states,
    tailing: new Tailing((api, stream) => streams.slot(api, stream)?.tap),
    close: () => running.close(),
  };
}
