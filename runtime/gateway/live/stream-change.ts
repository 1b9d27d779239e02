// One stream that runs, from one version to the next: what behaves alike in both goes on.

import type { StreamParts } from "../../component/stream-parts.ts";
import { settlesWithin } from "../../concurrency/deadline.ts";
import { GatewayError } from "../../errors.ts";
import type { Intake } from "../../stream/intake.ts";
import type { Lane } from "../../stream/lane.ts";
import type { Stream } from "../../stream/stream.ts";
import type { StreamSpec } from "../../stream/stream-options.ts";
import type { StreamSlot } from "../../stream/stream-slot.ts";
import type { StreamVersion } from "../../stream/stream-version.ts";
import type { StreamDigests } from "../artifact/manifest.ts";
import type { Change } from "./change.ts";
import { handOverClients } from "./hand-over-clients.ts";
import { type Bounds, within } from "./within.ts";

/** What of two versions differs. */
export interface Differences {
  readonly input: boolean;
  /** Pipeline, error handling or output. */
  readonly lane: boolean;
  readonly output: boolean;
  readonly resources: boolean;
  /** How clients see the output. */
  readonly shape: boolean;
}

/** The differences by digests; all where one of the versions has none. */
export function compare(before: StreamDigests | undefined, next: StreamDigests | undefined): Differences {
  const differs = (key: keyof StreamDigests) =>
    before === undefined || next === undefined || before[key] !== next[key];
  // Whatever uses resources is made around them, and digests do not tell what does.
  const [output, resources] = [differs("output") || differs("resources"), differs("resources")];
  const lane = output || differs("pipeline");
  return { input: differs("input"), lane, output, resources, shape: differs("shape") };
}

/** What ran before the change. */
interface Before {
  readonly version: StreamVersion;
  readonly lane: Lane | undefined;
  readonly intake: Intake | undefined;
}

/**
 * The next version's lane is started while the one before still works, and takes its place between two batches. Inputs
 * with routes overlap in the same way; one that reads from a broker leaves it before the next one joins.
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
  /** Whether the next input may start while the one before still works. */
  readonly #overlaps: boolean;
  #lane: Lane | undefined;
  #intake: Intake | undefined;
  #before: Before | undefined;
  #giveBack: () => void = () => undefined;

  /** `stream` is what runs at `slot`; `parts` are made by `spec`. */
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
      // Inputs and outputs are told these when they start.
      input: differences.input || failed || was?.max_attempts !== is?.max_attempts,
      output: differences.output || failed,
    };
    this.#overlaps = input.isServer === true || parts.input.isServer === true;
  }

  /** An input that has left its broker may find the next one away. */
  get isRisky(): boolean {
    return this.#differences.input && this.#version.declared.input.isServer !== true;
  }

  async prepare(): Promise<void> {
    const { lane, output, resources, input } = this.#differences;
    const { startTimeout } = this.#bounds;
    const current = this.#stream.lane;
    try {
      if (!resources) this.#version.takeOver(this.#stream.version);
      if (lane) {
        const kept = { outlet: output ? undefined : current?.outlet, turns: current?.turns };
        this.#lane = await within(startTimeout, "Its output did not start", this.#bounds, (end) =>
          this.#stream.openLane(this.#version, kept, end),
        );
      }
      if (input && this.#version.declared.input.isServer === true) this.#intake = await this.#openIntake();
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
    const { version, lane, intake } = this.#stream;
    this.#before = { version, lane, intake };
    try {
      if (this.#differences.input && !this.#overlaps) await this.#leave(intake);
      this.#useLane();
      if (this.#differences.input) await this.#useIntake();
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
    const { lane, intake } = this.#before ?? {};
    if (this.#lane !== undefined && lane !== undefined) {
      this.#stream.retire({ lane, endsOutlet: lane.outlet !== this.#lane.outlet }, stopTimeout);
    }
    if (this.#differences.input && this.#overlaps && intake !== undefined) {
      this.#stream.retire({ intake, endsOutlet: false }, stopTimeout);
    }
    void this.#release();
  }

  async #hold(): Promise<void> {
    const { startTimeout } = this.#bounds;
    await within(startTimeout, "What it began before did not end", this.#bounds, () => this.#stream.hold());
    if (this.#stream.stopping.aborted) throw new GatewayError(503, "Stream is stopping");
  }

  /** Between two batches. */
  #useLane(): void {
    const { lane: before } = this.#stream;
    if (this.#lane !== undefined && before !== undefined && !this.#differences.shape) {
      this.#giveBack = handOverClients(before, this.#lane);
    }
    this.#stream.useLane(this.#version, this.#lane ?? before);
  }

  async #useIntake(): Promise<void> {
    const { lane, isWanted } = this.#stream;
    if (this.#intake === undefined && lane !== undefined && isWanted) this.#intake = await this.#openIntake();
    this.#stream.useIntake(this.#intake);
  }

  #openIntake(): Promise<Intake> {
    const lane = this.#lane ?? this.#stream.lane;
    return within(this.#bounds.startTimeout, "Its input did not start", this.#bounds, (end) =>
      this.#stream.openIntake(this.#version, lane, end),
    );
  }

  /** Leaves the broker with everything delivered and acknowledged. */
  async #leave(intake: Intake | undefined): Promise<void> {
    if (intake === undefined) return;
    const { stopTimeout } = this.#bounds;
    intake.leave();
    const closing = intake.close();
    // Where nobody is there to take what waits, the broker keeps it for the next input.
    const demand = this.#stream.lane?.outlet.output.demand;
    if (demand?.wanted === false) demand.release?.();
    if (await settlesWithin(closing, stopTimeout)) return;
    this.#stream.retire({ intake, endsOutlet: false }, stopTimeout);
    throw new GatewayError(503, `What its input had read was not delivered within ${stopTimeout / 1000} s`);
  }

  /** What was committed is taken back; an input that has left its broker joins again by itself. */
  async #goBack({ version, lane, intake }: Before): Promise<void> {
    const { stopTimeout } = this.#bounds;
    this.#slot.respecify(this.#former);
    this.#giveBack();
    if (this.#differences.input) {
      const used = this.#intake;
      this.#intake = undefined;
      if (used !== undefined && this.#overlaps) {
        this.#stream.retire({ intake: used, endsOutlet: false }, stopTimeout);
      } else {
        used?.leave();
        if (used !== undefined) await settlesWithin(used.close(), stopTimeout);
      }
      this.#stream.useIntake(this.#overlaps ? intake : undefined);
    }
    this.#stream.useLane(version, lane);
    if (this.#lane !== undefined) {
      this.#stream.retire({ lane: this.#lane, endsOutlet: !this.#lane.keepsOutlet }, stopTimeout);
    }
    void this.#release();
  }

  /** What was prepared is not used. */
  async #abandon(): Promise<void> {
    this.#intake?.leave();
    await Promise.all([this.#intake?.close(), this.#lane?.end()]);
    await this.#release();
  }
}
