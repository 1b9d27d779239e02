// The resources of one stream, from its start to its stop.

import type { ComponentContext } from "../component/component.ts";
import type { Resource } from "../component/resource.ts";
import { settlesWithin } from "../concurrency/deadline.ts";
import type { Logger } from "../process/log.ts";

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
