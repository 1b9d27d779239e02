// Replaced parts of a stream that finish the messages they hold.

import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { RunningInput } from "./running-input.ts";
import type { RunningPipeline } from "./running-pipeline.ts";

/** Parts of an earlier version of the stream. */
export interface FormerParts {
  readonly pipeline?: RunningPipeline;
  readonly input?: RunningInput;
  /** Whether no later pipeline uses the output of this one. */
  readonly endsOutput: boolean;
}

/** The parts of earlier versions of one stream that have not ended yet. */
export class DrainingParts {
  /** Created by the first deployment. */
  #parts: Map<FormerParts, Promise<void>> | undefined;

  /** The number of batches that are in delivery in earlier versions. */
  get retiring(): number {
    return this.#former.reduce((sum, { pipeline }) => sum + (pipeline?.open ?? 0), 0);
  }

  /** Lets the parts finish within `deadline` milliseconds, then ends them. */
  add(parts: FormerParts, deadline: number): void {
    this.#parts ??= new Map();
    const ending = finish(parts, deadline).finally(() => this.#parts?.delete(parts));
    this.#parts.set(parts, ending);
  }

  /** Returns the endpoints that still serve requests routed to an earlier version. */
  endpointsOf(role: EndpointRole): readonly Endpoint[] {
    return this.#former.flatMap(({ pipeline, input }) =>
      role === "input" ? (input?.endpoints ?? []) : (pipeline?.endpointsOf(role) ?? []),
    );
  }

  /** Resolves when all parts have ended. */
  async over(): Promise<void> {
    await Promise.all(this.#parts?.values() ?? []);
  }

  /** Ends all parts within `time` milliseconds, and refuses messages in delivery. */
  async end(time: number): Promise<void> {
    for (const { input } of this.#former) input?.leave();
    await Promise.all(this.#former.map(({ pipeline, endsOutput }) => pipeline?.end(endsOutput, time)));
  }

  get #former(): readonly FormerParts[] {
    return this.#parts === undefined ? [] : [...this.#parts.keys()];
  }
}

async function finish({ pipeline, input, endsOutput }: FormerParts, deadline: number): Promise<void> {
  if (input !== undefined) {
    const closing = input.close();
    if (!(await settlesWithin(closing, deadline))) input.leave();
    await closing;
  }
  if (pipeline === undefined) return;
  if (endsOutput) pipeline.output.drain();
  const { demand } = pipeline.output.component;
  // No client will take the waiting messages: they return to their input, and the new version delivers them.
  if (endsOutput && demand?.wanted === false) demand.release?.();
  await settlesWithin(pipeline.empty(), deadline);
  await pipeline.leave(endsOutput);
}
