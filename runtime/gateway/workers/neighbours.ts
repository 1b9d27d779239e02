// A worker beside the others: which streams it runs itself, and how requests for the rest get to where they run.

import { rmSync } from "node:fs";
import type { Call, ChainStep } from "../../http/call.ts";
import type { ListenerLimits } from "../../http/listener-limits.ts";
import { createGatewayServer, type GatewayServer } from "../../middleware/server.ts";
import type { Logger } from "../../process/log.ts";
import type { WorkerPlace } from "../../process/worker-place.ts";
import type { PreparedApi } from "../prepared-api.ts";
import { forwardToHome, readForwardedOrigin } from "./forward.ts";

/** What a worker has instead of the listener for operators. */
export interface Neighbours {
  /** A place of the chain: takes requests for streams that run elsewhere. Absent in the worker that runs all. */
  readonly step?: ChainStep;
  /** The API with the streams that run here. */
  own(api: PreparedApi): PreparedApi;
  /** In the first worker, begins to take what the others pass on and puts it through `chain`. */
  open(chain: ChainStep): Promise<void>;
  stopAccepting(): void;
  /** As `GatewayServer.visitCalls`, of what the others pass on. */
  visitCalls(visit: (call: Call) => void): void;
  /** Resolves when nothing is open between the workers; what is after `deadline` milliseconds is cut. */
  close(deadline: number): Promise<void>;
}

export interface NeighbourOptions {
  readonly log: Logger;
  /** Of the gateway's own listener. */
  readonly limits: ListenerLimits;
}

/** What the other workers add to the headers of a request at most. */
const addedBytes = 16 * 1024;

/** The neighbourhood of the worker at `place`. */
export function createNeighbours(place: WorkerPlace, options: NeighbourOptions): Neighbours {
  return place.number === 0 ? homeWorker(place, options) : otherWorker(place);
}

function homeWorker({ socket }: WorkerPlace, { log, limits }: NeighbourOptions): Neighbours {
  let gateway: GatewayServer | undefined;
  return {
    own: (api) => api,
    async open(chain) {
      gateway = createGatewayServer({
        chain,
        log,
        // The clients' connections were counted where they came in.
        limits: {
          ...limits,
          maxConnections: Number.POSITIVE_INFINITY,
          maxHeaderBytes: limits.maxHeaderBytes + addedBytes,
          maxHeaders: limits.maxHeaders + 2,
        },
        readOrigin: readForwardedOrigin,
      });
      const { server } = gateway;
      // A worker that was killed leaves the socket behind.
      rmSync(socket, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // Exclusive: the primary would share it among all workers.
        server.listen({ path: socket, exclusive: true }, () => {
          server.off("error", reject);
          resolve();
        });
      });
    },
    stopAccepting: () => gateway?.stopAccepting(),
    visitCalls: (visit) => gateway?.visitCalls(visit),
    close: async (deadline) => gateway?.close(deadline),
  };
}

function otherWorker({ socket }: WorkerPlace): Neighbours {
  const forwarding = forwardToHome(socket);
  return {
    step: forwarding.step,
    own: (api) => ({ ...api, streams: api.streams.filter(({ isSpread }) => isSpread) }),
    async open() {},
    stopAccepting() {},
    visitCalls() {},
    async close() {
      forwarding.close();
    },
  };
}
