// An output of a stream at work.

import type { Output } from "../component/component.ts";
import type { Endpoint } from "../component/endpoint.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { contextAt } from "../failures/place.ts";
import { closePart, contextIn, disconnectTime, type StreamScope } from "./stream-scope.ts";
import type { Release, StreamVersion } from "./stream-version.ts";

/** An output from its start to its end; versions of a stream that write to the same place share one. */
export class RunningOutput {
  readonly component: Output;
  /** Whether it is given messages that a processor failed on, as `ComponentContext.deliversFailed`. */
  readonly deliversFailed: boolean;
  readonly #scope: StreamScope;
  readonly #release: Release;
  readonly #ending = new AbortController();
  readonly #draining = new AbortController();
  #isReady = false;

  constructor(output: Output, deliversFailed: boolean, version: StreamVersion, scope: StreamScope) {
    this.component = output;
    this.deliversFailed = deliversFailed;
    this.#scope = scope;
    this.#release = version.hold();
  }

  /** Connects; leaves nothing open where that fails. */
  async start(): Promise<void> {
    const { stopping, source } = this.#scope;
    const draining = AbortSignal.any([stopping, this.#draining.signal]);
    const own = { draining, deliversFailed: this.deliversFailed };
    try {
      const context = contextIn(this.#scope, "output", this.#ending.signal, own);
      await this.component.start(contextAt({ ...context, source }, this.component));
      this.#isReady = true;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** What it serves; nothing while it is not connected. */
  get endpoints(): readonly Endpoint[] {
    return this.#isReady ? (this.component.endpoints ?? []) : [];
  }

  /** Nothing new comes from the stream's input: it hands on what it has collected. */
  drain(): void {
    this.#draining.abort();
  }

  /** Another takes its place: it disconnects, and its clients are asked to reconnect. */
  async leave(): Promise<void> {
    this.#isReady = false;
    this.drain();
    const closing = closePart(this.#scope, "output", this.component);
    if (!(await settlesWithin(closing, disconnectTime))) await this.end();
    this.#ending.abort();
    await this.#release();
  }

  /** The stream stops: it disconnects within `time` milliseconds, and refuses what is in flight. */
  async end(time = disconnectTime): Promise<void> {
    this.#isReady = false;
    this.drain();
    this.#ending.abort();
    await settlesWithin(closePart(this.#scope, "output", this.component), time);
    await this.#release(time);
  }
}
