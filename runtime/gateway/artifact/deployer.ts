// Applies deployments to a gateway one after the other, and keeps what the gateway served if a deployment fails.

import type { GatewayDefinition } from "../../gateway.ts";
import type { HostOwner } from "../../http/router.ts";
import type { Logger } from "../../process/log.ts";
import type { ApiOutcome, DeployedApi } from "../live/deployed-api.ts";
import {
  folderSource,
  type HighestDeployment,
  readHighest,
  writeBlob,
  writeHighest,
  writeManifest,
} from "./artifact-folder.ts";
import { hostOwner } from "./assigned-hosts.ts";
import {
  deployedOf,
  describe,
  fetchModule,
  loadApi,
  loadProcess,
  rolledBack,
  type Verification,
  verifyManifest,
} from "./deployment.ts";
import type { ApiArtifact, ArtifactManifest, ModuleReference } from "./manifest.ts";
import type { ArtifactSource, GatewayReport, SignedManifest } from "./source.ts";

/** Modules by digest. */
export type Modules = ReadonlyMap<string, Uint8Array>;

/** An API of a manifest with its loaded module. */
interface LoadedApi {
  readonly artifact: ApiArtifact;
  readonly deployed: DeployedApi;
}

/** What a deployment makes a process serve. */
export interface DeployedSet {
  readonly apis: readonly DeployedApi[];
  /** `undefined` if no host name is assigned to an organisation. */
  readonly hostOwner: HostOwner | undefined;
  /** The same as a manifest; for an API whose module cannot be loaded it has the version that was served before. */
  readonly manifest: ArtifactManifest;
  /** The modules that were not loaded before. */
  readonly modules: Modules;
}

/** A gateway whose APIs can be replaced. */
export interface DeployableGateway {
  /** Makes the gateway serve the set: first the owners of host names, then each API, as a whole or not at all. */
  apply(set: DeployedSet): Promise<readonly ApiOutcome[]>;
}

export interface DeployerOptions extends Verification {
  readonly log: Logger;
  /** The folder for a copy of what is served. */
  readonly cacheFolder: string | undefined;
  /**
   * Starts the process with the APIs to serve first, as far as they start. Called once; the APIs are applied afterwards
   * in any case. Rejects if the process cannot start.
   */
  start(definition: GatewayDefinition, set: DeployedSet): Promise<DeployableGateway>;
}

/** Thrown when the process cannot start, regardless of its APIs; `cause` says why. */
export class ProcessError extends Error {
  override readonly name = "ProcessError";

  constructor(cause: unknown) {
    super("the process cannot start", { cause });
  }
}

/** The number of modules that are fetched concurrently. */
const fetchedAtOnce = 8;

/** Applies deployments to one gateway. */
export class Deployer {
  readonly #options: DeployerOptions;
  #gateway: DeployableGateway | undefined;
  /** Digest of the module that the process was started with, and of the module that it would start with now. */
  #process: string | undefined;
  #nextProcess: string | undefined;
  #apis = new Map<string, LoadedApi>();
  #served: HighestDeployment | undefined;
  /** The deployment recorded in the folder of the copy. */
  #highest: HighestDeployment | undefined;
  #outcomes: readonly ApiOutcome[] = [];
  #problem: string | undefined;
  #needsRestart = false;

  constructor(options: DeployerOptions) {
    this.#options = options;
  }

  /** Returns the current report, without the streams. */
  report(): Omit<GatewayReport, "streams"> {
    return {
      ...(this.#served === undefined ? {} : { deployment: this.#served.number }),
      outcomes: this.#outcomes,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      needsRestart: this.#needsRestart,
      runtime: this.#options.runtime.digest,
    };
  }

  /** Whether the gateway serves anything. */
  get isServing(): boolean {
    return this.#gateway !== undefined;
  }

  /** Records why there is no deployment, or why a received one is not served, and logs each problem once. */
  refuse(message: string, error: unknown, from: string): void {
    const problem = describe(error);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.log.error(message, { from, problem, serving: this.#served?.number ?? "nothing" });
  }

  /**
   * Applies a deployment. Rejects, before any of its code runs, if it is not allowed here or cannot be fetched as a
   * whole. APIs of it that do not start roll back to the version that ran before, as its outcomes report. A signed
   * deployment is refused if a deployment with a higher number, or another one with its number, was accepted before,
   * even by an earlier process. `ownCopy` is exempt: this gateway wrote it itself.
   */
  async take(
    signed: SignedManifest,
    source: ArtifactSource,
    signal: AbortSignal,
    { ownCopy = false }: { readonly ownCopy?: boolean } = {},
  ): Promise<void> {
    const highest = ownCopy ? this.#served : await this.#readHighest();
    const manifest = verifyManifest(signed, this.#options, highest);
    const modules = await this.#fetchAll(manifest, source, signal);
    const { loaded, failed } = await this.#load(manifest, modules);
    // Recorded before any of its code runs: a process that is killed from here on cannot go back to an older
    // deployment.
    const taken = { number: manifest.number, digest: signed.digest };
    await this.#noteHighest(taken);
    const isFirst = this.#gateway === undefined;
    const apis = [...loaded.values()];
    const set = {
      apis: apis.map(({ deployed }) => deployed),
      hostOwner: hostOwner(manifest.hosts),
      manifest: { ...manifest, apis: apis.map(({ artifact }) => artifact) },
      modules,
    };
    this.#gateway ??= await this.#start(manifest, modules, set);
    this.#needsRestart = manifest.gateway.module !== this.#process;
    const applied = await this.#gateway.apply(set);
    // APIs that could not be loaded were applied as unchanged: report them as failed.
    const isLoaded = ({ api }: ApiOutcome) => !failed.some((each) => each.api === api);
    const outcomes = [...applied.filter(isLoaded), ...failed];
    // The process started with these APIs: report those that `apply` left unchanged as applied.
    this.#outcomes = isFirst ? outcomes.map(asApplied) : outcomes;
    this.#nextProcess = manifest.gateway.module;
    this.#apis = loaded;
    this.#served = taken;
    this.#problem = undefined;
    this.#logOutcomes(manifest, source);
    await this.#keep(signed, manifest);
  }

  /** Returns the deployment with the highest number that this process accepted, or an earlier one recorded. */
  async #readHighest(): Promise<HighestDeployment | undefined> {
    const { cacheFolder, key } = this.#options;
    if (cacheFolder !== undefined && key !== undefined) this.#highest ??= await readHighest(cacheFolder);
    const [noted, served] = [this.#highest, this.#served];
    return (served?.number ?? 0) >= (noted?.number ?? 0) ? (served ?? noted) : noted;
  }

  /** Records the deployment; unsigned deployments are skipped: their numbers have no meaning. */
  async #noteHighest(taken: Required<HighestDeployment>): Promise<void> {
    const { cacheFolder, key } = this.#options;
    if (cacheFolder === undefined || key === undefined) return;
    // A damaged record does not stop a gateway that starts from its own copy.
    await this.#copy(async () => {
      const { number = 0, digest } = (await this.#readHighest()) ?? {};
      if (taken.number < number || (taken.number === number && digest !== undefined)) return;
      this.#highest = taken;
      await writeHighest(cacheFolder, taken);
    });
  }

  async #start(
    { gateway }: ArtifactManifest,
    modules: Modules,
    set: DeployedSet,
  ): Promise<DeployableGateway> {
    const definition = await loadProcess(gateway, bytesOf(gateway, modules), this.#options.runtime);
    this.#process = gateway.module;
    try {
      return await this.#options.start(definition, set);
    } catch (error) {
      throw new ProcessError(error);
    }
  }

  /** Loads the APIs. Keeps the loaded version if the module is unchanged, or if the new module cannot be loaded. */
  async #load({ apis }: ArtifactManifest, modules: Modules) {
    const loaded = new Map<string, LoadedApi>();
    const failed: ApiOutcome[] = [];
    for (const api of apis) {
      const before = this.#apis.get(api.id);
      try {
        const isSame = before?.artifact.module === api.module;
        const deployed = isSame
          ? deployedOf(api, before.deployed.definition)
          : await loadApi(api, bytesOf(api, modules), this.#options.runtime);
        loaded.set(api.id, { artifact: api, deployed });
      } catch (error) {
        failed.push(rolledBack(api, error));
        if (before !== undefined) loaded.set(api.id, before);
      }
    }
    return { loaded, failed };
  }

  /** Fetches each module that is not loaded yet once; rejects if one of them cannot be fetched. */
  async #fetchAll(manifest: ArtifactManifest, source: ArtifactSource, signal: AbortSignal): Promise<Modules> {
    const { cacheFolder } = this.#options;
    const isLoaded = ({ id, module }: ApiArtifact) => this.#apis.get(id)?.artifact.module === module;
    const process = this.#nextProcess === manifest.gateway.module ? [] : [manifest.gateway];
    const wanted = [...process, ...manifest.apis.filter((api) => !isLoaded(api))];
    const missing = [...new Map(wanted.map((reference) => [reference.module, reference])).values()];
    const copies = cacheFolder === undefined ? [] : [folderSource(cacheFolder)];
    const found = new Map<string, Uint8Array>();
    const fetchNext = async (): Promise<void> => {
      for (let next = missing.shift(); next !== undefined; next = missing.shift()) {
        const bytes = await fetchModule(next, [source, ...copies], signal);
        found.set(next.module, bytes);
      }
    };
    await Promise.all(Array.from({ length: fetchedAtOnce }, fetchNext));
    if (cacheFolder !== undefined)
      for (const [digest, bytes] of found) await this.#copy(() => writeBlob(cacheFolder, digest, bytes));
    return found;
  }

  /** Saves the deployment, so that this gateway can start while the source is unreachable. */
  async #keep(signed: SignedManifest, { gateway, apis }: ArtifactManifest): Promise<void> {
    const { cacheFolder } = this.#options;
    const kept = new Set([gateway, ...apis].map(({ module }) => module));
    if (cacheFolder !== undefined) await this.#copy(() => writeManifest(cacheFolder, signed, kept));
  }

  /** Logs a failure to write the copy: the gateway serves without it. */
  async #copy(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#options.log.warn("the deployment cannot be saved for the next start", {
        folder: this.#options.cacheFolder,
        error,
      });
    }
  }

  #logOutcomes({ number }: ArtifactManifest, source: ArtifactSource): void {
    const { log } = this.#options;
    const count = (outcome: ApiOutcome["outcome"]) =>
      this.#outcomes.filter((each) => each.outcome === outcome).length;
    for (const { api, outcome, reason } of this.#outcomes)
      if (outcome === "rolled back") log.error("api rolled back", { deployment: number, api, reason });
    log.info("deployment served", {
      deployment: number,
      from: source.name,
      applied: count("applied"),
      unchanged: count("unchanged"),
      removed: count("removed"),
      rolledBack: count("rolled back"),
    });
    if (this.#needsRestart)
      log.warn("settings of the process have changed", {
        deployment: number,
        remedy: "restart this gateway",
      });
  }
}

function asApplied(outcome: ApiOutcome): ApiOutcome {
  return outcome.outcome === "unchanged" ? { ...outcome, outcome: "applied" } : outcome;
}

function bytesOf({ module }: ModuleReference, modules: Modules): Uint8Array {
  const bytes = modules.get(module);
  if (bytes === undefined) throw new Error(`the module ${module} was not fetched`);
  return bytes;
}
