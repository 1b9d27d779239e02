// Serves the deployments of a source: each newer deployment replaces the current one. Reports the gateway's state to
// the source on change, at most once a second, and at least every ten seconds.

import { abort } from "../../concurrency/abort.ts";
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
  /** The folder with a copy of the last deployment, to start from while the source is unreachable. */
  readonly cacheFolder: string | undefined;
  /** Ends the gateway when aborted. */
  readonly signal: AbortSignal;
  /** Pauses after failures, in milliseconds; from 0.5 s to 30 s by default. */
  readonly backoff?: { readonly first: number; readonly longest: number };
}

/** The longest time in milliseconds that a source may wait for a new deployment before it responds. */
const longestWait = 25_000;

/**
 * Serves the deployments of the source until `signal` ends it. Whatever the source does, the current deployment stays.
 * If the source is unreachable, asks it again with growing pauses; tries a refused deployment again until another one
 * replaces it. Rejects with a `ProcessError` if the process cannot start.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { deployer, source, signal } = options;
  const backoff = createBackoff(options.backoff ?? { first: 500, longest: 30_000 });
  let served: string | undefined;
  let refused: SignedManifest | undefined;
  while (!signal.aborted) {
    // A refused deployment may only have lacked something that exists now.
    const wait = refused === undefined ? longestWait : backoff.next();
    const next = await ask(options, refused?.digest ?? served, wait);
    if (next === "unreachable") {
      await pause(backoff.next(), signal);
      continue;
    }
    // The source responded, so the next failure starts with a short pause.
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
): Promise<SignedManifest | undefined | "unreachable"> {
  const { deployer, source, signal } = options;
  try {
    return await source.next(known, wait, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    deployer.refuse("deployments cannot be read", error, source.name);
    if (!deployer.isServing) await startFromCopy(options);
    return "unreachable";
  }
}

/** Serves the copy of the last deployment, if there is one. The copy is verified like any other deployment. */
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

/** Milliseconds between two reports. */
const interval = 1_000;

const longestSilence = 10_000;

interface ReportOptions {
  readonly log: Logger;
  /** Ends reporting when aborted. */
  readonly signal: AbortSignal;
  /** Samples the streams that the receiver of the reports asks for. */
  readonly tailing?: TailedProcess;
}

/** Reports until `signal` ends it. A report that fails is not repeated: the next one contains the whole state. */
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
        // The receiver of the samples is unreachable.
        tailing?.want(undefined);
      }
    }
    if (tailing !== undefined) await show(source, tailing, signal);
    await pause(interval, signal);
  }
  tailing?.want(undefined);
}

/** Sends the samples. Samples that do not arrive are lost: nothing waits for them. */
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
  /** The folder for a copy of what is served. */
  readonly cacheFolder: string | undefined;
  /** Where to listen if neither `GW_LISTEN` nor the definition says so. */
  readonly defaultListen: string;
  /** Starts serving, in this process or in workers. */
  readonly start: StartServed;
  /** Ends the gateway when aborted. */
  readonly signal: AbortSignal;
}

/** The process, or the workers, that serve the deployments. */
export interface ServedProcess extends DeployableGateway {
  /** The states of its streams. */
  states(): readonly unknown[] | Promise<readonly unknown[]>;
  readonly tailing: TailedProcess;
  /** Resolves when everything in flight is done. */
  close(): Promise<void>;
}

/** Starts serving the first set, as far as its APIs start. Rejects if the process cannot start. */
export type StartServed = (
  definition: GatewayDefinition,
  set: DeployedSet,
  options: ServeOptions,
) => Promise<ServedProcess>;

/** A process that serves on its own, without workers. */
export interface SingleProcess extends ServedProcess {
  readonly gateway: RunningGateway;
}

/**
 * Serves until `signal` ends it, and resolves when everything in flight is done. Rejects with a `ProcessError` if the
 * gateway process cannot start.
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
    abort(reporting);
    await Promise.all([served?.close(), reported]);
  }
}

/**
 * Serves in this process. Starts with the APIs and the owners of host names, so that no request arrives before they
 * exist. If it cannot start with all of them, it starts without any, and applying them finds out what is wrong with
 * each. Rejects if it cannot start at all.
 */
export async function startProcess(
  definition: GatewayDefinition,
  { apis, hostOwner }: DeployedSet,
  options: ServeOptions,
): Promise<SingleProcess> {
  const serve = (served: readonly DeployedApi[]) =>
    serveGateway({ ...definition, apis: served.map((api) => api.definition) }, { ...options, hostOwner });
  // A stopped stream must not run even for a moment: applying the deployment adds it as stopped.
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
