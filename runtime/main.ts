// A gateway as a process: signals, exit codes, and the last words of one that cannot start.

import type { GatewayDefinition } from "./gateway.ts";
import { createLogger } from "./log.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "./serve.ts";
import { startProblems } from "./start-problems.ts";

/** An older one would start, and then print numbers differently. */
const oldestNode = 24;

/**
 * Serves `definition` until SIGTERM or SIGINT, then drains and exits 0; a second signal exits at once.
 * Exits 1 when it cannot start, after one log line that says why. Listens on every interface, port 8080,
 * unless told otherwise.
 */
export async function runMain(definition: GatewayDefinition, options: ServeOptions = {}): Promise<void> {
  refuseOldNode(options);
  const starting = startOrExit(definition, { defaultListen: "0.0.0.0:8080", ...options });
  let asked = false;
  const stop = async () => {
    if (asked) process.exit(1);
    asked = true;
    const gateway = await starting;
    await gateway.close();
    process.exit(0);
  };
  // Before the start is over: whoever reads that it listens may end it at once.
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  await starting;
}

async function startOrExit(definition: GatewayDefinition, options: ServeOptions): Promise<RunningGateway> {
  try {
    return await serveGateway(definition, options);
  } catch (error) {
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    const log = options.log ?? createLogger("error");
    const problems = startProblems(error);
    log.error("cannot start", problems === undefined ? { error } : { problems });
    process.exit(1);
  }
}

function refuseOldNode({ log = createLogger("error") }: ServeOptions): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldestNode) return;
  log.error("cannot start", {
    problems: [`this is Node ${node}, and Node ${oldestNode} or newer is needed`],
  });
  process.exit(1);
}
