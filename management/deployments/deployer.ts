// Creates deployments: one at a time, each of the newest set of definitions. Compares the newest deployment in the
// store with the definitions there, so that a service that was killed continues where it stopped.

import { createHash, type KeyObject } from "node:crypto";
import { GatewayError } from "../../runtime/errors.ts";
import { type ArtifactManifest, printManifest } from "../../runtime/gateway/artifact/manifest.ts";
import { signBytes } from "../../runtime/gateway/artifact/signature.ts";
import type { Logger } from "../../runtime/process/log.ts";
import { isDuplicate } from "../../runtime/store/failures.ts";
import { readSet, type StoredApis } from "../definitions/apis.ts";
import type { Building } from "../definitions/check.ts";
import { writeBuilt } from "../definitions/kept-definitions.ts";
import type { ManagementTransaction } from "../store/open.ts";
import { type BuiltProcess, type BuiltSet, buildProcess, buildSet } from "./build.ts";
import { apisOf, type Deployment, newestDeployment, newestState, prune } from "./stored.ts";

export interface DefinitionDeployerOptions {
  readonly building: Building;
  /** The digest of the gateways' runtime, `sha256-…`. */
  readonly runtime: string;
  readonly signingKey: KeyObject | undefined;
  readonly log: Logger;
}

/** Milliseconds between two polls for changes by other processes, and after a failure. */
const interval = 1_000;

/** Deploys the newest definitions until it is closed. */
export class DefinitionDeployer {
  readonly #options: DefinitionDeployerOptions;
  readonly #arrived = new Set<() => void>();
  #process: BuiltProcess | undefined;
  #working: Promise<void> | undefined;
  #isPending = false;
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;

  constructor(options: DefinitionDeployerOptions) {
    this.#options = options;
  }

  /** Deploys the current definitions and starts polling for changes by other processes. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), interval);
    this.wake();
  }

  /** Reports that something may have changed. */
  wake(): void {
    this.#isPending = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isPending && this.#timer !== undefined) this.wake();
    });
  }

  /**
   * Resolves with the newest deployment as soon as the digest of its manifest differs from `known`; after `wait`
   * milliseconds, or when `signal` is aborted, with the newest one in any case. `undefined` before the first
   * deployment.
   */
  async next(known: string | undefined, wait: number, signal: AbortSignal): Promise<Deployment | undefined> {
    const { store } = this.#options.building;
    const late = performance.now() + wait;
    for (;;) {
      const arrival = this.#arrival(Math.max(0, late - performance.now()), signal);
      const newest = await newestDeployment(store);
      const isOver = performance.now() >= late || signal.aborted || this.#timer === undefined;
      if (isOver || (newest !== undefined && newest.digest !== known)) {
        arrival.cancel();
        return newest;
      }
      await arrival.happened;
    }
  }

  /** Ends all waiting requests and finishes the current work. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#notify();
    await this.#working;
  }

  /**
   * Waits for the next deployment or a timeout. Registered before the store is read, so that no deployment is missed.
   */
  #arrival(milliseconds: number, signal: AbortSignal) {
    let cancel: () => void = () => undefined;
    const happened = new Promise<void>((resolve) => {
      const timer = setTimeout(() => cancel(), milliseconds);
      cancel = () => {
        clearTimeout(timer);
        this.#arrived.delete(cancel);
        signal.removeEventListener("abort", cancel);
        resolve();
      };
      this.#arrived.add(cancel);
      signal.addEventListener("abort", cancel);
    });
    return { happened, cancel };
  }

  #notify(): void {
    for (const arrived of [...this.#arrived]) arrived();
  }

  async #work(): Promise<void> {
    const { building, log } = this.#options;
    while (this.#isPending && this.#timer !== undefined) {
      this.#isPending = false;
      try {
        const newest = await newestState(building.store);
        const set = await readSet(building.store);
        if (newest?.revision !== set.revision || newest.basis !== this.#basis) {
          await this.#deploy(set);
          this.#isPending = true; // there may be newer definitions already
        } else if (this.#seen !== newest.digest) {
          if (this.#seen === undefined) await this.#signAnew();
          this.#seen = newest.digest;
          this.#notify();
        }
      } catch (error) {
        // The next poll retries.
        log.error("cannot deploy", { error });
      }
    }
  }

  /** Identifies everything that a deployment depends on in addition to the definitions. */
  get #basis(): string {
    const { building, runtime } = this.#options;
    return `${building.basis} ${runtime}`;
  }

  async #deploy(set: StoredApis): Promise<void> {
    const { building, log, runtime } = this.#options;
    const began = performance.now();
    this.#process ??= await buildProcess(building);
    const newest = await newestDeployment(building.store);
    const built = await buildSet(building, set, apisOf(newest));
    const compiled = Math.round(performance.now() - began);
    const number = (newest?.number ?? 0) + 1;
    const gateway = this.#process.reference;
    const { hosts } = building.tenants;
    const manifest: ArtifactManifest = {
      ...{ format: 1, number, runtime, gateway },
      ...(Object.keys(hosts).length > 0 && { hosts }),
      apis: built.apis,
    };
    const isStored = await this.#store({ set, built, manifest, compiled });
    if (!isStored) return;
    for (const { id, message } of built.failures)
      log.error("api not compiled", { deployment: number, api: id, message });
    log.info("deployed", {
      deployment: number,
      apis: built.apis.length,
      compiled: built.fresh.length,
      took: compiled,
    });
  }

  /**
   * Signs the newest deployment with the key of this process, where it was made with another key or none: until the
   * next change, gateways that have only the new key could serve nothing.
   */
  async #signAnew(): Promise<void> {
    const { building, signingKey, log } = this.#options;
    const newest = await newestDeployment(building.store);
    if (signingKey === undefined || newest === undefined) return;
    const { number, manifest } = newest;
    const signature = signBytes(Buffer.from(manifest), signingKey);
    if (newest.signature === signature) return;
    await building.store.transact((connection) =>
      connection
        .updateTable("management_deployments")
        .set({ signature })
        .where("number", "=", number)
        .execute(),
    );
    log.info("deployment signed with another key", { deployment: number });
  }

  /** Stores a deployment. Returns `false` if another process has already stored one with the same number. */
  async #store({ set, built, manifest, compiled }: NewDeployment): Promise<boolean> {
    const { building, signingKey } = this.#options;
    const { number, gateway, apis } = manifest;
    const bytes = printManifest(manifest);
    const now = new Date();
    const at = now.toISOString();
    try {
      await building.store.transact(async (connection) => {
        await connection
          .insertInto("management_deployments")
          .values({
            number,
            revision: set.revision,
            basis: this.#basis,
            manifest: Buffer.from(bytes).toString("utf8"),
            digest: createHash("sha256").update(bytes).digest("hex"),
            signature: signingKey === undefined ? null : signBytes(bytes, signingKey),
            definitions: JSON.stringify(set.members.map(({ id, version }) => ({ id, version }))),
            failures: JSON.stringify(built.failures),
            created_at: at,
            waited: Math.max(0, now.getTime() - Date.parse(set.changedAt ?? at)),
            compiled,
            compiled_apis: built.fresh.length,
          })
          .execute();
        for (const each of built.fresh) await writeBuilt(connection, each, at);
        await connection
          .insertInto("management_blobs")
          .values({ digest: gateway.module, code: this.#process?.code ?? "" })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const digests = new Set([gateway, ...apis].map(({ module }) => module));
        await connection
          .insertInto("management_deployment_blobs")
          .values([...digests].map((digest) => ({ number, digest })))
          .execute();
        await prune(connection, number, now);
        await refuseMissing(connection, digests);
      });
      return true;
    } catch (error) {
      if (error instanceof GatewayError && isDuplicate(error.cause)) return false;
      throw error;
    }
  }
}

/** Throws if a module is missing, because another process just deleted it. The next attempt then compiles it again. */
async function refuseMissing(connection: ManagementTransaction, digests: ReadonlySet<string>): Promise<void> {
  const { total } = await connection
    .selectFrom("management_blobs")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .where("digest", "in", [...digests])
    .executeTakeFirstOrThrow();
  if (total < digests.size) throw new GatewayError(503, "A module of the deployment no longer exists");
}

interface NewDeployment {
  readonly set: StoredApis;
  readonly built: BuiltSet;
  readonly manifest: ArtifactManifest;
  /** The duration of compilation, in milliseconds. */
  readonly compiled: number;
}
