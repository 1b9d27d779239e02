// Brings deployments into a gateway, one after the other, and keeps what it served where one cannot be brought in.

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

/** Bytes by digest. */
export type Modules = ReadonlyMap<string, Uint8Array>;

/** An API as a manifest names it, and what its module makes. */
interface LoadedApi {
  readonly artifact: ApiArtifact;
  readonly deployed: DeployedApi;
}

/** What a deployment has a process serve. */
export interface DeployedSet {
  readonly apis: readonly DeployedApi[];
  /** `undefined` where no host name is assigned to an organisation. */
  readonly hostOwner: HostOwner | undefined;
  /** The same as a manifest: of an API whose module cannot be loaded it has what was served before. */
  readonly manifest: ArtifactManifest;
  /** The modules that were not there before. */
  readonly modules: Modules;
}

/** A gateway whose APIs come and go. */
export interface DeployableGateway {
  /** Makes the set what is served. Each API is brought in whole or not at all; the owners of host names hold before that. */
  apply(set: DeployedSet): Promise<readonly ApiOutcome[]>;
}

export interface DeployerOptions extends Verification {
  readonly log: Logger;
  /** Where a copy of what is served is kept. */
  readonly cacheFolder: string | undefined;
  /**
   * Starts the process, once, with the APIs that it is to serve first, as far as they start with it; they are applied
   * afterwards in any case. Rejects where there can be no process.
   */
  start(definition: GatewayDefinition, set: DeployedSet): Promise<DeployableGateway>;
}

/** The process cannot start, whatever its APIs are; `cause` says why. */
export class ProcessError extends Error {
  override readonly name = "ProcessError";

  constructor(cause: unknown) {
    super("the process cannot start", { cause });
  }
}

/** Modules fetched at a time. */
const fetchedAtOnce = 8;

/** Takes deployments for one gateway. */
export class Deployer {
  readonly #options: DeployerOptions;
  #gateway: DeployableGateway | undefined;
  /** Digest of the module that the process was started with, and of the one that it would be started with now. */
  #process: string | undefined;
  #nextProcess: string | undefined;
  #apis = new Map<string, LoadedApi>();
  #served: HighestDeployment | undefined;
  /** As the folder of the copy has it. */
  #highest: HighestDeployment | undefined;
  #outcomes: readonly ApiOutcome[] = [];
  #problem: string | undefined;
  #needsRestart = false;

  constructor(options: DeployerOptions) {
    this.#options = options;
  }

  /** What is to be said of it now, but for its streams. */
  report(): Omit<GatewayReport, "streams"> {
    return {
      ...(this.#served === undefined ? {} : { deployment: this.#served.number }),
      outcomes: this.#outcomes,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      needsRestart: this.#needsRestart,
      runtime: this.#options.runtime.digest,
    };
  }

  /** Whether anything is served. */
  get isServing(): boolean {
    return this.#gateway !== undefined;
  }

  /** Notes why there is no deployment, or why the one that came is not served, and says so once. */
  refuse(message: string, error: unknown, from: string): void {
    const problem = describe(error);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.log.error(message, { from, problem, serving: this.#served?.number ?? "nothing" });
  }

  /**
   * Brings a deployment in. Rejects before anything of it ran when it may not be run or cannot be had whole; APIs of it
   * that do not start go back to what ran before, which its outcomes say. Of signed deployments none is taken with a lower
   * number than another that was, or with the same one, also before the process was started; but for `ownCopy`, which this
   * gateway wrote itself.
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
    // Before anything of it runs: a process that is killed from here on does not go back behind it.
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
    // What could not be loaded was left unchanged, too.
    const isLoaded = ({ api }: ApiOutcome) => !failed.some((each) => each.api === api);
    const outcomes = [...applied.filter(isLoaded), ...failed];
    // A process that started with its APIs has brought them in by that.
    this.#outcomes = isFirst ? outcomes.map(asApplied) : outcomes;
    this.#nextProcess = manifest.gateway.module;
    this.#apis = loaded;
    this.#served = taken;
    this.#problem = undefined;
    this.#tell(manifest, source);
    await this.#keep(signed, manifest);
  }

  /** The deployment of the highest number that was taken by this process, or noted by one before it. */
  async #readHighest(): Promise<HighestDeployment | undefined> {
    const { cacheFolder, key } = this.#options;
    if (cacheFolder !== undefined && key !== undefined) this.#highest ??= await readHighest(cacheFolder);
    const [noted, served] = [this.#highest, this.#served];
    return (served?.number ?? 0) >= (noted?.number ?? 0) ? (served ?? noted) : noted;
  }

  /** Numbers of unsigned deployments have no meaning. */
  async #noteHighest(taken: Required<HighestDeployment>): Promise<void> {
    const { cacheFolder, key } = this.#options;
    if (cacheFolder === undefined || key === undefined) return;
    const { number = 0, digest } = (await this.#readHighest()) ?? {};
    if (taken.number < number || (taken.number === number && digest !== undefined)) return;
    this.#highest = taken;
    await this.#copy(() => writeHighest(cacheFolder, taken));
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

  /** What was loaded for an API goes on where its module is the same, and where the new one cannot be loaded. */
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

  /** The modules that are not loaded yet, each once, all of them or none. */
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

  /** Afterwards this gateway starts without the place it came from. */
  async #keep(signed: SignedManifest, { gateway, apis }: ArtifactManifest): Promise<void> {
    const { cacheFolder } = this.#options;
    const kept = new Set([gateway, ...apis].map(({ module }) => module));
    if (cacheFolder !== undefined) await this.#copy(() => writeManifest(cacheFolder, signed, kept));
  }

  /** A gateway that cannot keep a copy serves all the same. */
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

  #tell({ number }: ArtifactManifest, source: ArtifactSource): void {
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
