// A gateway that changes what it serves by serving anew.

import type { ApiDefinition, GatewayDefinition } from "../gateway.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "../serve.ts";
import type { ApiOutcome, DeployedApi } from "./deployed.ts";
import type { LiveGateway } from "./deployer.ts";
import { describe } from "./deployment.ts";

/** Serves `definition`, at first without APIs. Clients are disconnected by each change. */
export async function restartingGateway(
  definition: GatewayDefinition,
  options: ServeOptions,
): Promise<LiveGateway & { close(): Promise<void> }> {
  let served: readonly DeployedApi[] = [];
  const serve = (apis: readonly DeployedApi[]) =>
    serveGateway({ ...definition, apis: apis.map((api): ApiDefinition => api.definition) }, options);
  let running: RunningGateway = await serve([]);
  const outcomesOf = (apis: readonly DeployedApi[]): readonly ApiOutcome[] => {
    const digests = new Map(served.map((api) => [api.definition.id, api.digest]));
    const removed = [...digests.keys()].filter((id) => !apis.some((api) => api.definition.id === id));
    return [
      ...apis.map(({ definition: { id }, digest }): ApiOutcome => {
        return { api: id, outcome: digests.get(id) === digest ? "unchanged" : "applied" };
      }),
      ...removed.map((api): ApiOutcome => ({ api, outcome: "removed" })),
    ];
  };
  return {
    streams: { states: () => running.streams.states() },
    async apply(apis) {
      await running.close();
      try {
        running = await serve(apis);
      } catch (error) {
        running = await serve(served);
        const reason = describe(error);
        return apis.map(({ definition: { id } }) => ({ api: id, outcome: "rolled back", reason }));
      }
      const outcomes = outcomesOf(apis);
      served = apis;
      return outcomes;
    },
    close: () => running.close(),
  };
}
