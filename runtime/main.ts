// A gateway as a process: signals, exit codes, and the last words of one that cannot start.

import { type RunningGateway, type ServeOptions, serveGateway } from "./gateway/serve.ts";
import { answerPrimary } from "./gateway/workers/answer-primary.ts";
import { WorkerFailure } from "./gateway/workers/primary.ts";
import { startPrimary } from "./gateway/workers/start-primary.ts";
import type { GatewayDefinition } from "./gateway.ts";
import { os } from "./process/builtins.ts";
import { createLogger } from "./process/log.ts";
import { onStopSignal } from "./process/shutdown.ts";
import { startProblems } from "./process/start-problems.ts";
import { readWorkerPlace, type WorkerPlace } from "./process/worker-place.ts";

/** The first that has everything gateways use of Node: SQLite without a flag, Zstandard. */
const oldestNode = "22.15";

/**
 * Serves `definition` until a signal ends it, then drains and exits 0; a second signal exits at once.
 * Exits 1 when it cannot start, after one log line that says why. Listens on every interface, port 8080,
 * unless told otherwise.
 */
export async function runMain(definition: GatewayDefinition, options: ServeOptions = {}): Promise<void> {
  refuseOldNode(options);
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
  // Before the start is over: a process that sees it listen may end it at once.
  onStopSignal(stop);
  const running = await starting;
  if (os().availableParallelism() === 1) collectByOneThread();
  if (place !== undefined && "streams" in running) answerPrimary(running, stop);
}

/** What can be ended, be it a gateway or the primary of several workers. */
type Running = RunningGateway | Pick<RunningGateway, "close">;

async function startOrExit(
  definition: GatewayDefinition,
  options: ServeOptions,
  place: WorkerPlace | undefined,
): Promise<Running> {
  try {
    if (place !== undefined) return await serveGateway(definition, { ...options, worker: place });
    const variables = options.environment ?? process.env;
    // What is not a number above 1 is judged with everything else that a gateway reads.
    return Number(variables.GW_WORKERS) > 1
      ? await startPrimary(definition, options)
      : await serveGateway(definition, options);
  } catch (error) {
    // A worker that could not start has said why itself.
    if (error instanceof WorkerFailure) process.exit(1);
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    const log = options.log ?? createLogger("error");
    const problems = startProblems(error);
    log.error("cannot start", problems === undefined ? { error } : { problems });
    process.exit(1);
  }
}

/**
 * Has V8 collect young objects by one thread. Where there is one processor, several would only take turns on it, which costs a
 * thirtieth of the time of a message. V8 reads the flag at each collection.
 */
function collectByOneThread(): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--no-parallel-scavenge");
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
