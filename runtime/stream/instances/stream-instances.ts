// The instances of one stream: made for the first request with their values, shared by the next ones, stopped when
// they have not been used for a while.

import type { StreamParts } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import type { Environment } from "../../process/environment.ts";
import { Stream } from "../stream.ts";
import type { StreamOptions } from "../stream-options.ts";
import type { StreamState } from "../stream-state.ts";
import { createRequestValues, describe, type RequestValues } from "./request-values.ts";
import { type RequestSource, readRequestVariable } from "./request-variables.ts";

/** What the instances of a stream are made of and kept within. */
export interface InstancesOptions extends StreamOptions {
  readonly api: string;
  readonly stream: string;
  readonly variables: readonly string[];
  /** Makes the parts of an instance; opens nothing. As `StreamSpec.create` for one request. */
  readonly create: (request: RequestValues, again?: () => StreamParts) => StreamParts;
  readonly limits: InstanceLimits;
  /** Milliseconds an instance gets for what is in flight when it is collected. */
  readonly stopTimeout: number;
  /** The instances of an earlier version of the stream, which these take the place of and which are being closed. */
  readonly former?: StreamInstances;
}

/** How many instances a stream has, and how long. */
export interface InstanceLimits {
  /** Instances of one stream at once. */
  readonly most: number;
  /** Milliseconds an instance stays without a request or a socket open on it. */
  readonly idle: number;
}

/** An instance for one request. */
export interface InstanceLease {
  readonly stream: Stream;
  /** To be called once, when the request or the socket is over. */
  release(): void;
}

/** Gives each request the instance with its values. */
export interface StreamInstances {
  /**
   * Resolves when the instance runs, or has failed to once. Rejects with a `GatewayError`: 400 or 401 when the request
   * lacks a value or has one that does not fit its field, 503 when there are too many instances.
   */
  acquire(source: RequestSource): Promise<InstanceLease>;
  states(): readonly StreamState[];
  /**
   * Has requests get instances of `successor`, which is made with this as its `former`, and stops all, each within
   * `deadline` milliseconds.
   */
  replaceBy(successor: StreamInstances, deadline: number): Promise<void>;
  /** Of instances that are replaced: those with these values, once they have ended; `undefined` where none is left at all. */
  ended(key: string): Promise<void> | undefined;
  /** Stops all, each within `deadline` milliseconds; none is made afterwards. */
  close(deadline: number): Promise<void>;
}

interface Instance {
  readonly key: string;
  readonly number: number;
  readonly stream: Stream;
  users: number;
  /** When it was last used; of what is idle the oldest makes room. */
  idleSince: number;
  timer?: NodeJS.Timeout;
  ending?: Promise<void>;
}

/** As `InstancedStream.instances`. */
function createStreamInstances(options: InstancesOptions): StreamInstances {
  return new Instances(options);
}

class Instances implements StreamInstances {
  readonly #options: InstancesOptions;
  readonly #instances = new Map<string, Instance>();
  #former: StreamInstances | undefined;
  #successor: StreamInstances | undefined;
  #made = 0;
  #closed = false;

  constructor(options: InstancesOptions) {
    this.#options = options;
    this.#former = options.former;
  }

  async acquire(source: RequestSource): Promise<InstanceLease> {
    if (this.#successor !== undefined) return this.#successor.acquire(source);
    const values = readValues(this.#options.variables, source);
    const key = JSON.stringify([...values]);
    const instance = await this.#find(key, values);
    if (instance === undefined) return this.acquire(source);
    await instance.stream.settled;
    return { stream: instance.stream, release: () => this.#release(instance) };
  }

  states(): readonly StreamState[] {
    return [...this.#instances.values()].map(({ stream, number }) => ({
      ...stream.state(),
      instance: number,
    }));
  }

  async replaceBy(successor: StreamInstances, deadline: number): Promise<void> {
    this.#successor = successor;
    await this.close(deadline);
  }

  ended(key: string): Promise<void> | undefined {
    const former = this.#former?.ended(key);
    if (former === undefined) this.#former = undefined;
    if (former === undefined && this.#instances.size === 0) return undefined;
    return Promise.all([former, this.#instances.get(key)?.ending]).then(() => undefined);
  }

  async close(deadline: number): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#instances.values()].map((instance) => this.#retire(instance, deadline)));
  }

  /**
   * The instance in use for the caller; one that is ending is waited for, so that no message is read by both.
   * `undefined`: all have been replaced meanwhile.
   */
  async #find(key: string, values: ReadonlyMap<string, string>): Promise<Instance | undefined> {
    const former = this.#former?.ended(key);
    if (former === undefined) this.#former = undefined;
    await former;
    for (;;) {
      if (this.#successor !== undefined) return undefined;
      if (this.#closed) throw new GatewayError(503, "Gateway is closing", { retryable: false });
      const present = this.#instances.get(key);
      if (present?.ending !== undefined) await present.ending;
      else if (present !== undefined) return use(present);
      else if (this.#instances.size < this.#options.limits.most) return use(this.#make(key, values));
      else await this.#makeRoom();
    }
  }

  #make(key: string, values: ReadonlyMap<string, string>): Instance {
    const { api, stream, organisation, create } = this.#options;
    const request = createRequestValues(values);
    const make = (again?: () => StreamParts) => create(request, again);
    const parts = make();
    this.#made += 1;
    const log = this.#options.log.with({ instance: this.#made });
    const running = new Stream({ api, stream, organisation, create: make }, parts, { ...this.#options, log });
    const instance: Instance = { key, number: this.#made, stream: running, users: 0, idleSince: 0 };
    this.#instances.set(key, instance);
    return instance;
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = [...this.#instances.values()]
      .filter(({ users, ending }) => users === 0 && ending === undefined)
      .sort((a, b) => a.idleSince - b.idleSince);
    const ending = [...this.#instances.values()].find((instance) => instance.ending !== undefined)?.ending;
    if (oldest !== undefined) await this.#retire(oldest, this.#options.stopTimeout);
    else if (ending !== undefined) await ending;
    else throw new GatewayError(503, "Too many instances of this stream are in use", { retryAfter: 1 });
  }

  #release(instance: Instance): void {
    instance.users -= 1;
    if (instance.users > 0 || instance.ending !== undefined) return;
    instance.idleSince = performance.now();
    const { limits, stopTimeout } = this.#options;
    instance.timer = setTimeout(() => this.#retire(instance, stopTimeout), limits.idle);
  }

  #retire(instance: Instance, deadline: number): Promise<void> {
    clearTimeout(instance.timer);
    instance.ending ??= instance.stream.stop(deadline).finally(() => this.#instances.delete(instance.key));
    return instance.ending;
  }
}

function use(instance: Instance): Instance {
  clearTimeout(instance.timer);
  instance.users += 1;
  return instance;
}

/** An empty value is not one: it would silently mean another thing, such as no consumer group. */
function readValues(variables: readonly string[], source: RequestSource): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const name of variables) {
    const value = readRequestVariable(name, source) ?? "";
    if (value === "") throw missing(name);
    values.set(name, value);
  }
  return values;
}

function missing(name: string): GatewayError {
  const ofCaller = /^(?:meta\.|context\.(?:token$|jwt_claims_))/.test(name);
  return new GatewayError(ofCaller ? 401 : 400, `${describe(name)} is missing`);
}

/** A stream with an instance for each set of values that requests give its variables. */
export interface InstancedStream {
  /** `context.headers_X_Tenant`, `meta.team`. */
  readonly variables: readonly string[];
  /** Makes the parts of one instance; opens nothing. */
  readonly create: (env: Environment, request: RequestValues) => StreamParts;
  /** Runs the instances. It comes with the stream so that other gateways carry no code for them. */
  readonly instances: (options: InstancesOptions) => StreamInstances;
}

/** A stream whose parts `create` makes from the values of `variables`. */
export function perRequest(
  variables: readonly string[],
  create: (env: Environment, request: RequestValues) => StreamParts,
): InstancedStream {
  return { variables, create, instances: createStreamInstances };
}
