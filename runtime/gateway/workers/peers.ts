// A worker among others: which streams it runs itself, and its connection with the worker that runs the other streams.

import { rmSync } from "node:fs";
import type { Call, ChainStep } from "../../http/call.ts";
import type { ListenerLimits } from "../../http/listener-limits.ts";
import { createGatewayServer, type GatewayServer } from "../../middleware/server.ts";
import type { Logger } from "../../process/log.ts";
import type { WorkerPlace } from "../../process/worker-place.ts";
import type { GatewayObserver } from "../../stream/observer.ts";
import type { PreparedApi } from "../prepared-api.ts";
import { forwardToFirst, readForwardedOrigin } from "./forwarding.ts";

/** The connection of a worker with the other workers; a worker has it instead of the admin listener. */
export interface WorkerPeers {
  /** A chain step that takes requests for streams that run elsewhere. Absent in the worker that runs all streams. */
  readonly step?: ChainStep;
  /** Returns the API with the streams that run here. */
  own(api: PreparedApi): PreparedApi;
  /** In the first worker, starts to accept requests from the others and passes them through `chain`. */
  open(chain: ChainStep): Promise<void>;
  stopAccepting(): void;
  /** As `GatewayServer.visitCalls`, for requests of the other workers. */
  visitCalls(visit: (call: Call) => void): void;
  /** Resolves when the connections between the workers are closed; after `deadline` milliseconds they are destroyed. */
  close(deadline: number): Promise<void>;
}

export interface WorkerPeerOptions {
  readonly log: Logger;
  /** The limits of the gateway's own listener. */
  readonly limits: ListenerLimits;
  readonly observer: GatewayObserver | undefined;
}

/** The most bytes that other workers add to the headers of a request. */
const addedBytes = 16 * 1024;

/** Creates the connection of the worker at `place` with the other workers. */
export function createWorkerPeers(place: WorkerPlace, options: WorkerPeerOptions): WorkerPeers {
  return place.number === 0 ? firstWorker(place, options) : otherWorker(place);
}

function firstWorker({ socket }: WorkerPlace, { log, limits, observer }: WorkerPeerOptions): WorkerPeers {
  let gateway: GatewayServer | undefined;
  return {
    own: (api) => api,
    async open(chain) {
      gateway = createGatewayServer({
        chain,
        log,
        observer,
        // The worker that accepted a client's connection has counted it.
        limits: {
          ...limits,
          maxConnections: Number.POSITIVE_INFINITY,
          maxHeaderBytes: limits.maxHeaderBytes + addedBytes,
          maxHeaders: limits.maxHeaders + 2,
        },
        readOrigin: readForwardedOrigin,
      });
      const { server } = gateway;
      // A worker that was killed leaves its socket file behind.
      rmSync(socket, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // Exclusive: otherwise the primary would share the socket among all workers.
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

function otherWorker({ socket }: WorkerPlace): WorkerPeers {
  const forwarding = forwardToFirst(socket);
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
