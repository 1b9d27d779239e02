// Connections that are tried out before a gateway is deployed. No gateway carries any of this: only the command
// line asks for it.

import type { ComponentContext } from "../component/component.ts";
import type { Logger } from "../process/log.ts";
import type { Finding } from "./probe-failures.ts";
import { describeProbeFailure, ProbeFailure } from "./probe-failures.ts";

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** Nothing is logged: findings say what there is to say. */
export function probeContext(): ComponentContext {
  return { log: silent, signal: new AbortController().signal };
}

/** A text of a document that is only fixed at its beginning: the rest comes of a message or of a request. */
export interface Computed {
  readonly computed: string;
}

/** A text of an option as probes are given it. */
export type ProbedText = string | Computed;

/** Which side of a stream a component stands on; an upstream stands beside the streams of its API. */
export type ProbedRole =
  | "input"
  | "output"
  | "processor"
  | "scanner"
  | "buffer"
  | "cache"
  | "rate_limit"
  | "upstream";

/** What a probe gets besides its options. */
export interface ProbeSettings {
  readonly role: ProbedRole;
  /** Milliseconds for each check. */
  readonly timeout: number;
}

/**
 * Tries out what a component connects to with its options, consuming and producing nothing. Tells `probing` of each
 * check; what it rejects with besides counts as a failure of the whole.
 */
export type Probe<Options> = (options: Options, probing: Probing) => Promise<void>;

/** Ends a probe whose further checks make no sense; the failure is already told. */
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

  /** Runs a probe to its end and closes what it opened; never rejects. */
  async run<Options>(probe: Probe<Options>, options: Options): Promise<readonly Finding[]> {
    try {
      await probe(options, this);
    } catch (error) {
      if (!(error instanceof Stopped)) this.#fail("settings", error);
    }
    for (const close of this.#closers) void close();
    return [...this.#findings];
  }

  /** Does one check and tells of it; gives whether it passed. */
  async check(what: string, work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    try {
      await this.require(what, work);
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  /** As `check`, where nothing further can be checked without it; gives what `work` gave. */
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

  /** As `require`, for what has to be closed in the end, also where it opens only after its time. */
  open<T>(what: string, work: () => Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> {
    return this.require(what, () => {
      const opening = work();
      this.#closers.push(() => opening.then(close).catch(() => undefined)); // no caller is left
      return opening;
    });
  }

  /** Ends the probe: further checks make no sense after a reported failure. */
  stop(): never {
    throw new Stopped();
  }

  /** Tells that something is not tested, and why. */
  skip(what: string, reason: string): void {
    this.#findings.push({ check: what, outcome: "untested", reason });
  }

  /** Whether one of these options is only known with a message or a request; tells that it is not tested then. */
  isComputed(options: object, ...names: readonly string[]): boolean {
    const found = Object.entries(options).find(
      ([name, value]) => names.includes(name) && holdsComputed(value),
    );
    if (found !== undefined) this.skip(found[0], "it is only known while the gateway runs");
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
      over.abort();
    }, this.timeout);
    try {
      return await Promise.race([work(over.signal), promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Thrown by a check that turns out to be impossible without side effects; the message says why. */
export class NotTested extends Error {}

function tooLate(timeout: number): ProbeFailure {
  return new ProbeFailure("timeout", `no answer within ${timeout} ms`, {
    advice: "Check that a firewall lets the connection through, or raise --timeout",
  });
}

/** Whether a text is known before there is a message. */
export function isFixed(text: ProbedText): text is string {
  return typeof text === "string";
}

function holdsComputed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "computed") || Object.values(value).some(holdsComputed);
}
