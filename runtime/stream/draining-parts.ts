// What of a stream is not used any more and finishes what is in it.

import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { RunningInput } from "./running-input.ts";
import type { RunningPipeline } from "./running-pipeline.ts";

/** Parts of an earlier version. */
export interface FormerParts {
  readonly pipeline?: RunningPipeline;
  readonly input?: RunningInput;
  /** Whether no later pipeline has the output of this one. */
  readonly endsOutput: boolean;
}

/** The parts of earlier versions of one stream, until they have ended. */
export class DrainingParts {
  readonly #parts = new Map<FormerParts, Promise<void>>();

  /** Batches of earlier versions that are on their way. */
  get retiring(): number {
    return [...this.#parts.keys()].reduce((sum, { pipeline }) => sum + (pipeline?.open ?? 0), 0);
  }

  /** Lets the parts finish, within `deadline` milliseconds, and ends them. */
  add(parts: FormerParts, deadline: number): void {
    const ending = finish(parts, deadline).finally(() => this.#parts.delete(parts));
    this.#parts.set(parts, ending);
  }

  /** What requests that were led to an earlier version are still served by. */
  endpointsOf(role: EndpointRole): readonly Endpoint[] {
    return [...this.#parts.keys()].flatMap(({ pipeline, input }) =>
      role === "input" ? (input?.endpoints ?? []) : (pipeline?.endpointsOf(role) ?? []),
    );
  }

  /** Resolves when all have ended. */
  async over(): Promise<void> {
    await Promise.all(this.#parts.values());
  }

  /** Ends all now, within `time` milliseconds, and refuses what is in flight. */
  async end(time: number): Promise<void> {
    for (const { input } of this.#parts.keys()) input?.leave();
    await Promise.all(
      [...this.#parts.keys()].map(({ pipeline, endsOutput }) => pipeline?.end(endsOutput, time)),
    );
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
  // No client takes what waits there: its input has it again, and the new version takes it.
  if (endsOutput && demand?.wanted === false) demand.release?.();
  await settlesWithin(pipeline.empty(), deadline);
  await pipeline.leave(endsOutput);
}
