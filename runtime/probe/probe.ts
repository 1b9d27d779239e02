// Tests connections before a gateway is deployed. Only the command line uses this code; no gateway contains it.

import type { ComponentContext } from "../component/component.ts";
import { abort } from "../concurrency/abort.ts";
import { createLogger } from "../process/log.ts";
import type { Finding } from "./probe-failures.ts";
import { describeProbeFailure, ProbeFailure } from "./probe-failures.ts";

/** Returns a context without a log: findings contain all results. */
export function probeContext(): ComponentContext {
  return { log: createLogger("silent"), signal: new AbortController().signal };
}

/** A text of a document whose beginning is fixed; the rest is computed from a message or a request. */
export interface Computed {
  readonly computed: string;
}

/** The text of an option, as probes receive it. */
export type ProbedText = string | Computed;

/** The role of a component in a stream; an upstream belongs to an API, next to its streams. */
export type ProbedRole =
  | "input"
  | "output"
  | "processor"
  | "scanner"
  | "buffer"
  | "cache"
  | "rate_limit"
  | "upstream";

/** The settings of a probe in addition to its options. */
export interface ProbeSettings {
  readonly role: ProbedRole;
  /** The timeout of each check, in milliseconds. */
  readonly timeout: number;
}

/**
 * Tests the connections of a component with its options, without consuming or producing messages. Reports each check to
 * `probing`; any other rejection counts as a failure of the whole probe.
 */
export type Probe<Options> = (options: Options, probing: Probing) => Promise<void>;

/** Ends a probe whose further checks would be useless; the failure is already reported. */
class Stopped extends Error {}

/** The checks of one component. */
export class Probing {
  readonly role: ProbedRole;
  readonly timeout: number;
  readonly #findings: Finding[] = [];
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor({ role, timeout }: ProbeSettings) {
    this.role = role;
    this.timeout = timeout;
  }

  /** Runs a probe and then closes everything it opened; never rejects. */
  async run<Options>(probe: Probe<Options>, options: Options): Promise<readonly Finding[]> {
    try {
      await probe(options, this);
    } catch (error) {
      if (!(error instanceof Stopped)) this.#fail("settings", error);
    }
    for (const close of this.#closers) void close();
    return [...this.#findings];
  }

  /** Runs one check and reports its result; returns whether it passed. */
  async check(what: string, work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    try {
      await this.require(what, work);
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  /**
   * As `check`, for a check that all further ones depend on; returns the result of `work`, and stops the probe if it
   * fails.
   */
  async require<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      const value = await this.#within(work);
      this.#findings.push({ check: what, outcome: "passed" });
      return value;
    } catch (error) {
      if (error instanceof NotTested) this.skip(what, error.message);
      else this.#fail(what, error);
      throw new Stopped();
    }
  }

  /** As `require`, for a connection that must be closed at the end, even if it opens only after the timeout. */
  open<T>(what: string, work: () => Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> {
    return this.require(what, () => {
      const opening = work();
      this.#closers.push(() => opening.then(close).catch(() => undefined)); // no caller waits for a failure here
      return opening;
    });
  }

  /** Ends the probe: further checks would be useless after a reported failure. */
  stop(): never {
    throw new Stopped();
  }

  /** Reports that something is not tested, and why. */
  skip(what: string, reason: string): void {
    this.#findings.push({ check: what, outcome: "untested", reason });
  }

  /** Whether one of these options depends on a message or a request; reports it as not tested in this case. */
  isComputed(options: object, ...names: readonly string[]): boolean {
    const found = Object.entries(options).find(
      ([name, value]) => names.includes(name) && holdsComputed(value),
    );
    if (found !== undefined) this.skip(found[0], "it is known only while the gateway runs");
    return found !== undefined;
  }

  #fail(what: string, error: unknown): void {
    this.#findings.push({ check: what, outcome: "failed", ...describeProbeFailure(error) });
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(tooLate(this.timeout));
      abort(over);
    }, this.timeout);
    try {
      return await Promise.race([work(over.signal), promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Thrown by a check that turns out to be impossible without side effects; the message contains the reason. */
export class NotTested extends Error {}

function tooLate(timeout: number): ProbeFailure {
  return new ProbeFailure("timeout", `no answer within ${timeout} ms`, {
    advice: "Check that a firewall lets the connection through, or raise --timeout",
  });
}

/** Whether a text does not depend on a message. */
export function isFixed(text: ProbedText): text is string {
  return typeof text === "string";
}

function holdsComputed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "computed") || Object.values(value).some(holdsComputed);
}
