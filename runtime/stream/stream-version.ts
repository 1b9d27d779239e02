// One version of a stream: the factory of its parts, and the resources that they share.

import type { ComponentContext, Input, Resource, StreamParts } from "../component/component.ts";
import { abort } from "../concurrency/abort.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { startAt } from "../failures/place.ts";
import type { Logger } from "../process/log.ts";
import type { CreateParts } from "./stream-options.ts";
import { contextIn, disconnectTime, type StreamScope } from "./stream-scope.ts";

/** Releases a hold. Resources that are no longer needed have `time` milliseconds to close; 5 s by default. */
export type Release = (time?: number) => Promise<void>;

/**
 * The parts of a version may end one at a time: its input may continue while its pipeline is of a later version. Its resources
 * are closed with the last part that holds the version, because each part may use them until it ends.
 */
export class StreamVersion {
  readonly create: CreateParts;
  /** The first parts. Routes are declared by them. */
  readonly declared: StreamParts;
  readonly #scope: StreamScope;
  readonly #resources: SharedResources;
  readonly #ending = new AbortController();
  #unused: StreamParts | undefined;
  #unusedInput: Input | undefined;
  #holders = 0;

  constructor(create: CreateParts, parts: StreamParts, scope: StreamScope) {
    this.create = create;
    this.declared = parts;
    this.#scope = scope;
    this.#unused = parts;
    this.#unusedInput = parts.input;
    this.#resources = new SharedResources(parts.resources ?? []);
  }

  /** Returns parts for one attempt to start. `takeInput` returns their input next. */
  takeParts(): StreamParts {
    const parts = this.#unused ?? this.createAgain();
    this.#unused = undefined;
    this.#unusedInput = parts.input;
    return parts;
  }

  /** Returns an input that was not used yet. */
  takeInput(): Input {
    const input = this.#unusedInput ?? this.createAgain().input;
    this.#unusedInput = undefined;
    return input;
  }

  /** Creates more parts that use the existing resources. */
  createAgain(): StreamParts {
    return this.create(this.declared.again);
  }

  /** Transfers what the resources of `other`, which behave the same, hold. */
  takeOver(other: StreamVersion): void {
    this.#resources.takeOver(other.#resources);
  }

  /** Starts the resources that do not run yet. */
  async start(): Promise<void> {
    if (this.#resources.isEmpty) return;
    await this.#resources.start(contextIn(this.#scope, "resource", this.#ending.signal, {}));
  }

  /** Keeps the resources open until the returned function is called. The last such call closes them. */
  hold(): Release {
    let isHeld = true;
    this.#holders += 1;
    return async (time = disconnectTime) => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders > 0) return;
      abort(this.#ending);
      await this.#resources.close(this.#scope.log, time);
    };
  }
}

/** Resources that are started and closed together. */
class SharedResources {
  readonly #resources: readonly Resource[];
  /** Created by the first start: most streams have no resources. */
  #started: Set<Resource> | undefined;

  constructor(resources: readonly Resource[]) {
    this.#resources = resources;
  }

  get isEmpty(): boolean {
    return this.#resources.length === 0;
  }

  /**
   * Starts the resources that do not run yet. Resources that have started stay open while other resources, or the components
   * that use them, are retried. Rejects with the failure of the first resource that cannot start.
   */
  async start(context: ComponentContext): Promise<void> {
    for (const resource of this.#resources) {
      this.#started ??= new Set();
      if (this.#started.has(resource)) continue;
      await startAt(resource, context);
      this.#started.add(resource);
    }
  }

  /** Transfers what each resource in `others` holds to the one at the same index. Both sets have the same kinds. */
  takeOver(others: SharedResources): void {
    for (const [index, resource] of this.#resources.entries()) {
      const other = others.#resources[index];
      if (other !== undefined) resource.takeOver?.(other);
    }
  }

  /** Closes all resources, including those that failed to start. Each has at most `time` milliseconds. */
  async close(log: Logger, time: number): Promise<void> {
    const closing = this.#resources.map(async (resource) => {
      try {
        await resource.close?.();
      } catch (error) {
        log.warn("disconnecting failed", { component: "resource", error });
      }
    });
    await settlesWithin(Promise.all(closing), time);
  }
}
