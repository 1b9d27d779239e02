// Runs a gateway as a process: signals, exit codes, and the error if it cannot start.

import { type RunningGateway, type ServeOptions, serveGateway } from "./gateway/serve.ts";
import { answerPrimary } from "./gateway/workers/answer-primary.ts";
import { WorkerFailure } from "./gateway/workers/primary.ts";
import { startPrimary } from "./gateway/workers/start-primary.ts";
import type { GatewayDefinition } from "./gateway.ts";
import { tuneCollections } from "./process/collections.ts";
import { beforeFirstWork } from "./process/first-work.ts";
import { createLogger } from "./process/log.ts";
import { onStopSignal } from "./process/shutdown.ts";
import { startProblems } from "./process/start-problems.ts";
import { readWorkerCount, readWorkerPlace, type WorkerPlace } from "./process/worker-place.ts";

/** The first version with everything that gateways use: SQLite without a flag, Zstandard. */
const oldestNode = "22.15";

/**
 * Serves `definition` until a signal ends it, then drains and exits 0; a second signal exits immediately. Exits 1 if
 * it cannot start, after one log line that says why. Listens on every interface, port 8080, by default.
 */
export async function runMain(definition: GatewayDefinition, options: ServeOptions = {}): Promise<void> {
  refuseOldNode(options);
  beforeFirstWork(tuneCollections);
  const place = readWorkerPlace();
  const starting = startOrExit(definition, { defaultListen: "0.0.0.0:8080", ...options }, place);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const running = await starting;
    await running.close();
    process.exit(0);
  };
  // Registered before the start is complete: a process that sees the gateway listen may end it immediately.
  onStopSignal(stop);
  const running = await starting;
  if (place !== undefined && "streams" in running) answerPrimary(running, stop);
}

/** Something that can be closed: a gateway, or the primary of several workers. */
type Running = RunningGateway | Pick<RunningGateway, "close">;

async function startOrExit(
  definition: GatewayDefinition,
  options: ServeOptions,
  place: WorkerPlace | undefined,
): Promise<Running> {
  try {
    if (place !== undefined) return await serveGateway(definition, { ...options, worker: place });
    return readWorkerCount(options.environment) > 1
      ? await startPrimary(definition, options)
      : await serveGateway(definition, options);
  } catch (error) {
    // A worker that could not start has logged the reason itself.
    if (error instanceof WorkerFailure) process.exit(1);
    // The configured log level may be the problem, and this line is needed at every level: log it with a fixed one.
    const log = options.log ?? createLogger("error");
    const problems = startProblems(error);
    log.error("cannot start", problems === undefined ? { error } : { problems });
    process.exit(1);
  }
}

function refuseOldNode({ log = createLogger("error") }: ServeOptions): void {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  log.error("cannot start", {
    problems: [`this is Node ${node}, and Node ${oldestNode} or newer is needed`],
  });
  process.exit(1);
}
