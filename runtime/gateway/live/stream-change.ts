// Changes one running stream from one version to the next: parts that behave alike in both continue to run.

import type { StreamParts } from "../../component/component.ts";
import { type ClientsOfEndpoint, isSameRoute } from "../../component/endpoint.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { GatewayError } from "../../errors.ts";
import type { RunningInput } from "../../stream/running-input.ts";
import type { RunningPipeline } from "../../stream/running-pipeline.ts";
import type { Stream } from "../../stream/stream.ts";
import type { StreamSlot } from "../../stream/stream-manager.ts";
import type { StreamSpec } from "../../stream/stream-options.ts";
import type { StreamVersion } from "../../stream/stream-version.ts";
import type { StreamDigests } from "../artifact/manifest.ts";
import type { Change } from "./change.ts";
import { type Bounds, within } from "./within.ts";

/** Whether each part differs between two versions. */
export interface Differences {
  readonly input: boolean;
  /** The pipeline, the error handling or the output. */
  readonly pipeline: boolean;
  readonly output: boolean;
  readonly resources: boolean;
  /** How clients see the output. */
  readonly shape: boolean;
}

/** Compares two versions by their digests; everything differs if one of them has none. */
export function compare(before: StreamDigests | undefined, next: StreamDigests | undefined): Differences {
  const differs = (key: keyof StreamDigests) =>
    before === undefined || next === undefined || before[key] !== next[key];
  // Every part that uses resources is created with them, and digests do not show which part does.
  const [output, resources] = [differs("output") || differs("resources"), differs("resources")];
  const pipeline = output || differs("pipeline");
  return { input: differs("input"), pipeline, output, resources, shape: differs("shape") };
}

/** The parts that ran before the change. */
interface Before {
  readonly version: StreamVersion;
  readonly pipeline: RunningPipeline | undefined;
  readonly input: RunningInput | undefined;
}

/**
 * Starts the next version's pipeline while the old one still works, and switches between two batches. Inputs with
 * routes overlap in the same way; an input that reads from a broker leaves it before the next one joins.
 */
export class StreamChange implements Change {
  readonly #slot: StreamSlot;
  readonly #stream: Stream;
  readonly #spec: StreamSpec;
  readonly #former: StreamSlot["spec"];
  readonly #version: StreamVersion;
  readonly #release: () => Promise<void>;
  readonly #differences: Differences;
  readonly #bounds: Bounds;
  /** Whether the next input may start while the old one still works. */
  readonly #overlaps: boolean;
  #pipeline: RunningPipeline | undefined;
  #input: RunningInput | undefined;
  #before: Before | undefined;
  #giveBack: () => void = () => undefined;

  /** `stream`: the stream that runs at `slot`; `parts`: the parts that `spec` created. */
  constructor(
    slot: StreamSlot,
    stream: Stream,
    spec: StreamSpec,
    parts: StreamParts,
    differences: Differences,
    bounds: Bounds,
  ) {
    this.#slot = slot;
    this.#stream = stream;
    this.#spec = spec;
    this.#former = slot.spec;
    this.#bounds = bounds;
    this.#version = stream.createVersion(spec.create, parts);
    this.#release = this.#version.hold();
    const { input, errorHandling } = stream.version.declared;
    const [was, is] = [errorHandling, parts.errorHandling];
    const failed = (was?.strategy === "none") !== (is?.strategy === "none");
    this.#differences = {
      ...differences,
      // Inputs and outputs get these settings when they start.
      input: differences.input || failed || was?.max_attempts !== is?.max_attempts,
      output: differences.output || failed,
    };
    this.#overlaps = input.isServer === true || parts.input.isServer === true;
  }

  /** An input may leave its broker, and the next one may then find the broker unreachable. */
  get isRisky(): boolean {
    return this.#differences.input && this.#version.declared.input.isServer !== true;
  }

  async prepare(): Promise<void> {
    const { pipeline, output, resources, input } = this.#differences;
    const { startTimeout } = this.#bounds;
    const current = this.#stream.pipeline;
    try {
      if (!resources) this.#version.takeOver(this.#stream.version);
      if (pipeline) {
        const kept = {
          output: output ? undefined : current?.output,
          turns: current?.turns,
          ordering: current?.ordering,
        };
        this.#pipeline = await within(startTimeout, "Its output did not start", this.#bounds, (end) =>
          this.#stream.openPipeline(this.#version, kept, end),
        );
      }
      if (input && this.#version.declared.input.isServer === true) this.#input = await this.#openInput();
    } catch (error) {
      await this.#abandon();
      throw error;
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#hold();
    } catch (error) {
      this.#stream.resume();
      await this.#abandon();
      throw error;
    }
    const { version, pipeline, input } = this.#stream;
    this.#before = { version, pipeline, input };
    try {
      if (this.#differences.input && !this.#overlaps) await this.#leave(input);
      this.#usePipeline();
      if (this.#differences.input) await this.#useInput();
      this.#slot.respecify(this.#spec);
    } catch (error) {
      await this.#goBack(this.#before);
      throw error;
    } finally {
      this.#stream.resume();
    }
  }

  async undo(): Promise<void> {
    if (this.#before === undefined) return this.#abandon();
    try {
      await this.#hold();
      await this.#goBack(this.#before);
    } finally {
      this.#stream.resume();
    }
  }

  finish(): void {
    const { stopTimeout } = this.#bounds;
    const { pipeline, input } = this.#before ?? {};
    if (this.#pipeline !== undefined && pipeline !== undefined) {
      this.#stream.retire({ pipeline, endsOutput: pipeline.output !== this.#pipeline.output }, stopTimeout);
    }
    if (this.#differences.input && this.#overlaps && input !== undefined) {
      this.#stream.retire({ input, endsOutput: false }, stopTimeout);
    }
    void this.#release();
  }

  async #hold(): Promise<void> {
    const { startTimeout } = this.#bounds;
    await within(startTimeout, "Its earlier work did not end", this.#bounds, () => this.#stream.hold());
    if (this.#stream.stopping.aborted) throw new GatewayError(503, "Stream is stopping");
  }

  /** Switches the pipeline, between two batches. */
  #usePipeline(): void {
    const { pipeline: before } = this.#stream;
    if (this.#pipeline !== undefined && before !== undefined && !this.#differences.shape) {
      this.#giveBack = handOverClients(before, this.#pipeline);
    }
    this.#stream.usePipeline(this.#version, this.#pipeline ?? before);
  }

  async #useInput(): Promise<void> {
    const { pipeline, isWanted } = this.#stream;
    if (this.#input === undefined && pipeline !== undefined && isWanted)
      this.#input = await this.#openInput();
    this.#stream.useInput(this.#input);
  }

  #openInput(): Promise<RunningInput> {
    const pipeline = this.#pipeline ?? this.#stream.pipeline;
    return within(this.#bounds.startTimeout, "Its input did not start", this.#bounds, (end) =>
      this.#stream.openInput(this.#version, pipeline, end),
    );
  }

  /** Leaves the broker once everything is delivered and acknowledged. */
  async #leave(input: RunningInput | undefined): Promise<void> {
    if (input === undefined) return;
    const { stopTimeout } = this.#bounds;
    input.leave();
    const closing = input.close();
    // If no client is there to receive the waiting messages, the broker keeps them for the next input.
    const demand = this.#stream.pipeline?.output.component.demand;
    if (demand?.wanted === false) demand.release?.();
    if (await settlesWithin(closing, stopTimeout)) return;
    this.#stream.retire({ input, endsOutput: false }, stopTimeout);
    throw new GatewayError(503, `What its input had read was not delivered within ${stopTimeout / 1000} s`);
  }

  /** Undoes the commit; an input that left its broker joins again. */
  async #goBack({ version, pipeline, input }: Before): Promise<void> {
    const { stopTimeout } = this.#bounds;
    this.#slot.respecify(this.#former);
    this.#giveBack();
    if (this.#differences.input) {
      const used = this.#input;
      this.#input = undefined;
      if (used !== undefined && this.#overlaps) {
        this.#stream.retire({ input: used, endsOutput: false }, stopTimeout);
      } else {
        used?.leave();
        if (used !== undefined) await settlesWithin(used.close(), stopTimeout);
      }
      this.#stream.useInput(this.#overlaps ? input : undefined);
    }
    this.#stream.usePipeline(version, pipeline);
    if (this.#pipeline !== undefined) {
      this.#stream.retire({ pipeline: this.#pipeline, endsOutput: !this.#pipeline.keepsOutput }, stopTimeout);
    }
    void this.#release();
  }

  /** Closes the prepared parts without using them. */
  async #abandon(): Promise<void> {
    this.#input?.leave();
    await Promise.all([this.#input?.close(), this.#pipeline?.end()]);
    await this.#release();
  }
}

/**
 * Hands the clients of `before` over to the outputs of `next` at the same routes. Called once, before the first message
 * reaches `next`. Returns a function that undoes it.
 */
function handOverClients(before: RunningPipeline, next: RunningPipeline): () => void {
  const taken: (readonly [from: ClientsOfEndpoint, to: ClientsOfEndpoint])[] = [];
  for (const role of ["output", "dead_letter"] as const) {
    for (const endpoint of next.endpointsOf(role)) {
      const { clients } = endpoint;
      const from = before.endpointsOf(role).find((each) => isSameRoute(each, endpoint))?.clients;
      if (clients !== undefined && from !== undefined && clients.takeOver(from)) taken.push([from, clients]);
    }
  }
  return () => {
    for (const [from, to] of taken) from.takeOver(to);
  };
}
