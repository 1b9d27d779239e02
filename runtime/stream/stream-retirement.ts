// What of a stream is not used any more and finishes what is in it.

import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { settlesWithin } from "../concurrency/deadline.ts";
import type { Intake } from "./intake.ts";
import type { Lane } from "./lane.ts";

/** Parts of an earlier version. */
export interface RetiredParts {
  readonly lane?: Lane;
  readonly intake?: Intake;
  /** Whether no later lane has the output of this one. */
  readonly endsOutlet: boolean;
}

/** The parts of earlier versions of one stream, until they have ended. */
export class Retirement {
  readonly #parts = new Map<RetiredParts, Promise<void>>();

  /** Batches of earlier versions that are on their way. */
  get retiring(): number {
    return [...this.#parts.keys()].reduce((sum, { lane }) => sum + (lane?.open ?? 0), 0);
  }

  /** Lets the parts finish, within `deadline` milliseconds, and ends them. */
  add(parts: RetiredParts, deadline: number): void {
    const ending = finish(parts, deadline).finally(() => this.#parts.delete(parts));
    this.#parts.set(parts, ending);
  }

  /** What requests that were led to an earlier version are still served by. */
  endpointsOf(role: EndpointRole): readonly Endpoint[] {
    return [...this.#parts.keys()].flatMap(({ lane, intake }) =>
      role === "input" ? (intake?.endpoints ?? []) : (lane?.endpointsOf(role) ?? []),
    );
  }

  /** Resolves when all have ended. */
  async over(): Promise<void> {
    await Promise.all(this.#parts.values());
  }

  /** Ends all now, within `time` milliseconds, and refuses what is in flight. */
  async end(time: number): Promise<void> {
    for (const { intake } of this.#parts.keys()) intake?.leave();
    await Promise.all([...this.#parts.keys()].map(({ lane, endsOutlet }) => lane?.end(endsOutlet, time)));
  }
}

async function finish({ lane, intake, endsOutlet }: RetiredParts, deadline: number): Promise<void> {
  if (intake !== undefined) {
    const closing = intake.close();
    if (!(await settlesWithin(closing, deadline))) intake.leave();
    await closing;
  }
  if (lane === undefined) return;
  if (endsOutlet) lane.outlet.drain();
  const { demand } = lane.outlet.output;
  // Nobody comes any more for what waits there: its input has it again, and the new version takes it.
  if (endsOutlet && demand?.wanted === false) demand.release?.();
  await settlesWithin(lane.empty(), deadline);
  await lane.leave(endsOutlet);
}
