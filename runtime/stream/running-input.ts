// A running input of a stream, from its start to its end.

import type { Input, InputContext } from "../component/component.ts";
import type { Endpoint } from "../component/endpoint.ts";
import { abort } from "../concurrency/abort.ts";
import type { Blockage } from "../conditions/blockage.ts";
import { Conditions } from "../conditions/conditions.ts";
import { contextAt, startAt } from "../failures/place.ts";
import { closePart, contextIn, type StreamScope } from "./stream-scope.ts";
import type { StreamVersion } from "./stream-version.ts";

/** Where an input delivers to. It may change while the input runs. */
export interface InputTarget extends Required<Pick<InputContext, "deliver" | "giveUp">> {
  readonly maxAttempts: number | undefined;
  readonly deliversFailed: boolean;
  /** The input has reached the end of its source. */
  onEnd(): void;
  /** The input serves none of its endpoints any more. */
  onClosed(): void;
}

const none: readonly Endpoint[] = [];

/** An input that reads. */
export class RunningInput {
  #endpoints: readonly Endpoint[] = none;
  #target: InputTarget | undefined;
  readonly component: Input;
  readonly version: StreamVersion;
  readonly #scope: StreamScope;
  readonly #leaving = new AbortController();
  readonly #release: () => Promise<void>;
  readonly #blockages: Conditions<Blockage>;
  readonly #followStop = () => this.leave();
  #hasEnded = false;

  constructor(version: StreamVersion, scope: StreamScope) {
    this.version = version;
    this.component = version.takeInput();
    this.#scope = scope;
    this.#blockages = new Conditions({
      onBegin: (blockage) => scope.failures.refused(blockage, true),
      // Failed deliveries of an input that ends are left to the next input.
      onClear: () => {
        if (!this.#leaving.signal.aborted) scope.log.info("no failed delivery left");
      },
    });
    this.#release = version.hold();
  }

  /** Batches that cannot be delivered at the moment. */
  get blockages(): Pick<Conditions<Blockage>, "oldest" | "size"> {
    return this.#blockages;
  }

  /** Whether the input has reached the end of its source. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The endpoints that the input serves; none while it does not read. */
  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Begins to read. Leaves nothing open if that fails. */
  async start(target: InputTarget): Promise<void> {
    this.#target = target;
    try {
      await this.version.start();
      await startAt(this.component, this.#context(target));
      this.#endpoints = this.component.endpoints ?? none;
    } catch (error) {
      this.leave();
      await this.close();
      throw error;
    }
  }

  /** Creates what is durable at the broker, and leaves nothing open. The input is not started afterwards. */
  async prepare(): Promise<void> {
    const signal = AbortSignal.any([this.#scope.stopping, this.#leaving.signal]);
    try {
      await this.component.prepare?.(contextAt(contextIn(this.#scope, "input", signal, {}), this.component));
    } finally {
      await this.close();
    }
  }

  /** Makes the input take nothing new and refuse what it cannot deliver now. */
  leave(): void {
    abort(this.#leaving);
  }

  /** Stops reading, waits for messages in delivery, acknowledges them, and disconnects. */
  async close(): Promise<void> {
    await closePart(this.#scope, "input", this.component);
    this.#endpoints = none;
    this.#target?.onClosed();
    this.leave();
    this.#scope.stopping.removeEventListener("abort", this.#followStop);
    await this.#release();
  }

  #context(target: InputTarget): InputContext {
    const { stopping, counters } = this.#scope;
    // Wired by hand: signals of `AbortSignal.any` are slow to read, and this one is read for each batch.
    const { signal } = this.#leaving;
    if (stopping.aborted) this.leave();
    else stopping.addEventListener("abort", this.#followStop, { once: true });
    const { deliversFailed, maxAttempts, deliver, giveUp } = target;
    const begin = this.#blockages.within(signal);
    return {
      ...contextIn(this.#scope, "input", signal, { deliversFailed }),
      deliver,
      beginBlockage: (blockage) => {
        // An input that ends retries nothing, so a failed batch does not block it.
        if (signal.aborted) this.#scope.failures.refused(blockage, false);
        return begin(blockage);
      },
      reportRefused: (refused) => this.#scope.failures.refused(refused, false),
      reportEnd: () => {
        this.#hasEnded = true;
        target.onEnd();
      },
      ...(maxAttempts !== undefined && { maxAttempts }),
      giveUp,
      countRetry: (messages) => {
        counters.retried += messages;
      },
    };
  }
}
