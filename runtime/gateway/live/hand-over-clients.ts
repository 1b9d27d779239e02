// Connected clients that go on under another version of a stream.

import type { ClientsOfEndpoint } from "../../component/endpoint.ts";
import { isSameRoute } from "../../http/same-route.ts";
import type { RunningPipeline } from "../../stream/running-pipeline.ts";

/**
 * Has the outputs of `next` go on with the clients of `before` at the same routes; to be called once, before the first
 * message goes to `next`. Gives back how they are given back.
 */
export function handOverClients(before: RunningPipeline, next: RunningPipeline): () => void {
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
