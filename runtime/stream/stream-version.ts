// One version of a stream: what makes its parts, and the resources that they share.

import type { ComponentContext, Input, Resource, StreamParts } from "../component/component.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";
import type { CreateParts } from "./stream-options.ts";
import { contextIn, disconnectTime, type StreamScope } from "./stream-scope.ts";

/** Gives back what is held; resources that are no longer needed get `time` milliseconds to close, 5 s by default. */
export type Release = (time?: number) => Promise<void>;

/**
 * The parts of a version may end one by one: its input may go on while its pipeline is of a later version. Its resources
 * are closed with the last part that holds the version, because each part may use them until it ends.
 */
export class StreamVersion {
  readonly create: CreateParts;
  /** The first parts: they tell the routes. */
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

  /** Parts for one attempt to start; the input that comes with them is the next that `takeInput` gives. */
  takeParts(): StreamParts {
    const parts = this.#unused ?? this.createAgain();
    this.#unused = undefined;
    this.#unusedInput = parts.input;
    return parts;
  }

  /** An input that was not used yet. */
  takeInput(): Input {
    const input = this.#unusedInput ?? this.createAgain().input;
    this.#unusedInput = undefined;
    return input;
  }

  /** Further parts, around the resources it has. */
  createAgain(): StreamParts {
    return this.create(this.declared.again);
  }

  /** Has its resources go on with what those of `other`, which behave the same, hold. */
  takeOver(other: StreamVersion): void {
    this.#resources.takeOver(other.#resources);
  }

  /** Starts its resources, those that do not run yet. */
  start(): Promise<void> {
    return this.#resources.start(contextIn(this.#scope, "resource", this.#ending.signal, {}));
  }

  /** Keeps its resources open until the returned function is called; the last such call closes them. */
  hold(): Release {
    let isHeld = true;
    this.#holders += 1;
    return async (time = disconnectTime) => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#ending.abort();
      await this.#resources.close(this.#scope.log, time);
    };
  }
}

/** Resources that are started and closed together. */
export class SharedResources {
  readonly #resources: readonly Resource[];
  readonly #started = new Set<Resource>();

  constructor(resources: readonly Resource[]) {
    this.#resources = resources;
  }

  /**
   * Starts those that do not run yet: one that has started stays so while others, or the components around
   * them, are tried again. Rejects with the failure of the first that cannot.
   */
  async start(context: ComponentContext): Promise<void> {
    for (const resource of this.#resources) {
      if (this.#started.has(resource)) continue;
      await resource.start?.(context);
      this.#started.add(resource);
    }
  }

  /** Has each go on with what the one at its place in `others` holds; both sets are of the same kinds. */
  takeOver(others: SharedResources): void {
    for (const [index, resource] of this.#resources.entries()) {
      const other = others.#resources[index];
      if (other !== undefined) resource.takeOver?.(other);
    }
  }

  /** Closes all of them, also those whose start failed; none gets more than `time` milliseconds. */
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
