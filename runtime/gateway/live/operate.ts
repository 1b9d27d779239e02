// What operators want of single streams, as deployments carry it.

import type { StreamManager } from "../../stream/stream-manager.ts";
import type { DeployedApi } from "./deployed-api.ts";

/**
 * Stops, starts and restarts the streams of which `next` says otherwise than `before`; whether it did anything. What an
 * operator did at the gateway itself stays, unless a deployment now says something new of that stream.
 */
export async function operate(
  streams: StreamManager,
  before: DeployedApi | undefined,
  next: DeployedApi,
): Promise<boolean> {
  const { id } = next.definition;
  const names = Object.keys(next.definition.streams);
  const work = names.map((name) => {
    const [was, is] = [before?.stopped.has(name) === true, next.stopped.has(name)];
    if (is && !was) return streams.stop(id, name);
    if (was && !is) return Promise.resolve(streams.start(id, name));
    const isNew = before !== undefined && !Object.hasOwn(before.definition.streams, name);
    if (is || before === undefined || isNew) return undefined;
    const count = (api: DeployedApi) => api.restarts.get(name) ?? 0;
    return count(next) > count(before) ? streams.restart(id, name) : undefined;
  });
  const begun = work.filter((each) => each !== undefined);
  await Promise.all(begun);
  return begun.length > 0;
}
