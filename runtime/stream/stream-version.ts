// One version of a stream: what makes its parts, and the resources that they share.

import type { Input } from "../component/component.ts";
import type { StreamParts } from "../component/stream-parts.ts";
import { SharedResources } from "./shared-resources.ts";
import { contextIn, disconnectTime, type StreamBasis } from "./stream-basis.ts";

/** Gives back what is held; resources that nobody needs any more get `time` milliseconds to close, 5 s by default. */
export type Release = (time?: number) => Promise<void>;

/** Makes unstarted parts; each start of an input or output gets its own. `again` makes those that share. */
export type CreateParts = (again?: () => StreamParts) => StreamParts;

/**
 * The parts of a version may end one by one: its input may go on while its pipeline is of a later version. Its resources
 * are closed with the last part that holds the version, because each part may use them until it ends.
 */
export class StreamVersion {
  readonly create: CreateParts;
  /** The first parts: they tell the routes. */
  readonly declared: StreamParts;
  readonly #basis: StreamBasis;
  readonly #resources: SharedResources;
  readonly #ending = new AbortController();
  #unused: StreamParts | undefined;
  #unusedInput: Input | undefined;
  #holders = 0;

  constructor(create: CreateParts, parts: StreamParts, basis: StreamBasis) {
    this.create = create;
    this.declared = parts;
    this.#basis = basis;
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
    return this.#resources.start(contextIn(this.#basis, "resource", this.#ending.signal, {}));
  }

  /** Keeps its resources until what is given back is called; with the last of those they are closed. */
  hold(): Release {
    let isHeld = true;
    this.#holders += 1;
    return async (time = disconnectTime) => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#ending.abort();
      await this.#resources.close(this.#basis.log, time);
    };
  }
}
