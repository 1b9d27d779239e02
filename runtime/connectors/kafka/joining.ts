import type { ComponentContext } from "../../component/component.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { isCoordinatorStarting } from "./client.ts";

/** Milliseconds that a broker may take to read the groups it coordinates; after that it is a failure. */
const longestStart = 30_000;

/**
 * Does `join`, again while the coordinator of the group is only starting: a broker that has just come up reads its
 * groups, and makes the place for the first one, before it admits members. Rejects with what `join` rejects with.
 */
export async function waitForCoordinator<T>(
  join: () => Promise<T>,
  { log, signal }: Pick<ComponentContext, "log" | "signal">,
): Promise<T> {
  const backoff = createBackoff({ first: 100, longest: 1000 });
  const over = performance.now() + longestStart;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await join();
    } catch (error) {
      if (signal.aborted || performance.now() > over || !isCoordinatorStarting(error)) throw error;
      if (attempt === 1) log.info("the coordinator of the group is not ready yet");
    }
    await pause(backoff.next(), signal);
  }
}
