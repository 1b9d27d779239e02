// In the primary of a gateway that follows deployments: treats all workers as one gateway. The primary writes each
// deployment to a folder, each worker loads it from there, and if one worker cannot apply an API, all roll it back.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import type { GatewayDefinition } from "../../gateway.ts";
import type { ApiOutcome } from "../live/deployed-api.ts";
import type { ServeOptions } from "../serve.ts";
import type { TailedStream, TailRequest } from "../tail/sample.ts";
import { joinSeen, type TailedProcess } from "../tail/tailing.ts";
import type { DeployedMessage, DeployMessage } from "../workers/messages.ts";
import type { DeployingWorkers } from "../workers/primary.ts";
import { startPrimary } from "../workers/start-primary.ts";
import { writeBlob, writeManifest } from "./artifact-folder.ts";
import type { DeployedSet, Modules } from "./deployer.ts";
import { type ApiArtifact, type ArtifactManifest, printManifest } from "./manifest.ts";
import type { ServedProcess } from "./serve-source.ts";

/** Starts the workers that the environment asks for; they serve `set`. Rejects as `startPrimary` does. */
export async function startWorkers(
  definition: GatewayDefinition,
  set: DeployedSet,
  options: ServeOptions,
): Promise<ServedProcess> {
  const workers = new DeployedWorkers();
  try {
    await workers.offer(set.manifest, set.modules);
    const primary = await startPrimary(definition, options, workers);
    return {
      apply: (next) => workers.apply(next),
      states: () => primary.states(),
      tailing: workers,
      async close() {
        workers.release();
        await primary.close();
        workers.close();
      },
    };
  } catch (error) {
    workers.close();
    throw error;
  }
}

/** Sends a message to one worker. */
type Send = (message: DeployMessage) => void;

/** A question to a worker that it has not answered yet. */
interface Question {
  readonly worker: number;
  /** `outcomes`: `undefined` if the worker ends before it answers. */
  settle(outcomes: readonly ApiOutcome[] | undefined): void;
}

class DeployedWorkers implements DeployingWorkers, TailedProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-deployed-"));
  readonly #closing = new AbortController();
  /** Running workers by number. */
  readonly #workers = new Map<number, Send>();
  /** Calls that wait for a worker to start, by its number. */
  readonly #awaited = new Map<number, PromiseWithResolvers<void>>();
  readonly #questions = new Map<number, Question>();
  #questionCount = 0;
  /** What all workers serve, by id of the API. */
  #served = new Map<string, ApiArtifact>();
  #offered: readonly ApiArtifact[] = [];
  #tailed: TailRequest | undefined;
  #seen: TailedStream[] = [];

  /** Writes a deployment to the folder, from which workers load it when they start. */
  async offer(manifest: ArtifactManifest, modules: Modules): Promise<void> {
    for (const [digest, bytes] of modules) await writeBlob(this.#folder, digest, bytes);
    const needed = [manifest.gateway, ...manifest.apis, ...this.#served.values()];
    const bytes = printManifest(manifest);
    // Nothing reads the digest of the manifest in this folder.
    await writeManifest(this.#folder, { bytes, digest: "" }, new Set(needed.map(({ module }) => module)));
    this.#offered = manifest.apis;
  }

  /**
   * Deploys to all workers. The first worker begins, as the others pass requests on to it. If one worker cannot apply
   * an API, those that could roll it back.
   */
  async apply({ manifest, modules }: DeployedSet): Promise<readonly ApiOutcome[]> {
    await this.offer(manifest, modules);
    const answers = await this.#deployToAll();
    const failed = new Map(answers.flatMap((answer) => this.#failuresOf(answer)));
    if (failed.size > 0) {
      const before = ({ id }: ApiArtifact) => this.#served.get(id) ?? [];
      const apis = manifest.apis.flatMap((api) => (failed.has(api.id) ? before(api) : [api]));
      await this.offer({ ...manifest, apis }, new Map());
      await this.#deployToAll();
    }
    this.#served = new Map(this.#offered.map((api) => [api.id, api]));
    const removed = answers.find((answer) => answer !== undefined)?.filter(isRemoval) ?? [];
    return [...manifest.apis.map(({ id }) => failed.get(id) ?? outcomeOf(id, answers)), ...removed];
  }

  heard(worker: number, message: DeployedMessage, answer: Send): void {
    if (message.kind === "deployed") this.#questions.get(message.id)?.settle(message.outcomes);
    else if (message.kind === "seen") this.#seen.push(...message.streams);
    else {
      this.#workers.set(worker, answer);
      if (this.#tailed !== undefined) answer({ kind: "tail", request: this.#tailed });
      this.#awaited.get(worker)?.resolve();
      void this.#welcome(worker, answer);
    }
  }

  ended(worker: number): void {
    this.#workers.delete(worker);
    for (const question of this.#questions.values())
      if (question.worker === worker) question.settle(undefined);
  }

  want(request: TailRequest | undefined): void {
    this.#tailed = request;
    for (const send of this.#workers.values()) send({ kind: "tail", request });
  }

  drain(): readonly TailedStream[] {
    const seen = joinSeen(this.#seen);
    this.#seen = [];
    return seen;
  }

  /** Ends everything that waits for a worker. */
  release(): void {
    abort(this.#closing);
    for (const { settle } of this.#questions.values()) settle(undefined);
    for (const { resolve } of this.#awaited.values()) resolve();
  }

  /** Called when all workers have ended. */
  close(): void {
    this.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Deploys to a new worker what the others serve, with growing pauses until the worker has all of it. */
  async #welcome(worker: number, send: Send): Promise<void> {
    const backoff = createBackoff({ first: 500, longest: 30_000 });
    const { signal } = this.#closing;
    const isThere = () => !signal.aborted && this.#workers.get(worker) === send;
    while (isThere()) {
      const outcomes = await this.#ask(worker);
      if (outcomes?.some(isFailure) !== true) return;
      await pause(backoff.next(), signal);
    }
  }

  async #deployToAll(): Promise<readonly (readonly ApiOutcome[] | undefined)[]> {
    const first = await this.#deploy(0);
    const others = [...this.#workers.keys(), ...this.#awaited.keys()].filter((worker) => worker > 0);
    return [first, ...(await Promise.all([...new Set(others)].map((worker) => this.#deploy(worker))))];
  }

  /** Resolves with the outcomes in a worker, or in its successor; with `undefined` if both end before they answer. */
  async #deploy(worker: number): Promise<readonly ApiOutcome[] | undefined> {
    const outcomes = await this.#ask(worker);
    if (outcomes !== undefined || this.#closing.signal.aborted) return outcomes;
    if (!this.#workers.has(worker)) {
      const awaited = this.#awaited.get(worker) ?? Promise.withResolvers();
      this.#awaited.set(worker, awaited);
      await awaited.promise;
      this.#awaited.delete(worker);
    }
    return this.#ask(worker);
  }

  #ask(worker: number): Promise<readonly ApiOutcome[] | undefined> {
    const send = this.#workers.get(worker);
    if (send === undefined || this.#closing.signal.aborted) return Promise.resolve(undefined);
    this.#questionCount += 1;
    const id = this.#questionCount;
    return new Promise((resolve) => {
      const settle: Question["settle"] = (outcomes) => {
        this.#questions.delete(id);
        resolve(outcomes);
      };
      this.#questions.set(id, { worker, settle });
      send({ kind: "deploy", id, folder: this.#folder });
    });
  }

  /** Returns the APIs that a worker could not apply, by id: if it ended twice, all APIs that changed. */
  #failuresOf(answer: readonly ApiOutcome[] | undefined): readonly (readonly [string, ApiOutcome])[] {
    if (answer !== undefined) return answer.filter(isFailure).map((outcome) => [outcome.api, outcome]);
    if (this.#closing.signal.aborted) return [];
    const changed = this.#offered.filter(({ id, module }) => this.#served.get(id)?.module !== module);
    const reason = "a worker ended while it was started";
    return changed.map(({ id: api }) => [api, { api, outcome: "rolled back", reason }]);
  }
}

function isFailure({ outcome }: ApiOutcome): boolean {
  return outcome === "rolled back";
}

function isRemoval({ outcome }: ApiOutcome): boolean {
  return outcome === "removed";
}

/** Returns the outcome of an API that all workers serve: `applied` if at least one of them changed something. */
function outcomeOf(api: string, answers: readonly (readonly ApiOutcome[] | undefined)[]): ApiOutcome {
  const outcomes = answers.flatMap((answer) => answer?.filter((each) => each.api === api) ?? []);
  const isChanged = outcomes.some(({ outcome }) => outcome === "applied");
  return { api, outcome: isChanged ? "applied" : "unchanged" };
}
