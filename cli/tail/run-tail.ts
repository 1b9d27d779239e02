// Runs `sluice tail`: watches a stream through the management service until it is stopped.

import { setTimeout as pause } from "node:timers/promises";
import { misuse } from "../../compiler/cli/exit-codes.ts";
import {
  isServiceAddress,
  ManagementClient,
  ManagementFailure,
  noServiceAddress,
  type StreamName,
} from "../management-client.ts";
import { missedLine, renderMessage } from "./render.ts";

/** Options of `sluice tail`. */
export interface TailOptions {
  readonly count?: number;
  readonly json?: boolean;
}

/** Seconds that the service may wait for a message. */
const wait = 10;

/** Milliseconds before an unreachable service is tried again. */
const retryPause = 2_000;

/** Prints messages until a signal or their number ends it. Returns the exit code. */
export async function runTail(server: string, name: string, options: TailOptions): Promise<number> {
  const stream = parseStream(name);
  if (stream === undefined || !isServiceAddress(server)) {
    return misuse(
      stream === undefined
        ? `\`${name}\` is not a stream; write the id of its API and its name, such as orders/intake`
        : noServiceAddress,
    );
  }
  const token = process.env.GW_MANAGEMENT_TOKEN ?? "";
  if (token === "") {
    return misuse("GW_MANAGEMENT_TOKEN is not set; it holds a key of the management service");
  }
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await follow(new ManagementClient(server, token), stream, options, stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    if (!(error instanceof ManagementFailure)) throw error;
    process.stderr.write(`sluice: ${error.message}\n`);
    return 1;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

/** Resolves after `count` messages. Rejects if the service refuses a request, or if it is unreachable at the start. */
async function follow(
  client: ManagementClient,
  stream: StreamName,
  { count = Number.POSITIVE_INFINITY, json = false }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  await client.beginTail(stream, signal);
  let [after, shown, missed, isAway] = [0, 0, 0, false];
  while (shown < count) {
    try {
      const { Data: messages, Missed: total } = await client.readTail(stream, { after, wait }, signal);
      isAway = false;
      if (total > missed) process.stderr.write(missedLine(total - missed));
      missed = total;
      for (const message of messages.slice(0, count - shown))
        process.stdout.write(renderMessage(message, json));
      shown += messages.length;
      after = messages.at(-1)?.number ?? after;
    } catch (error) {
      if (!(error instanceof ManagementFailure) || signal.aborted) throw error;
      if (error.status === 404) {
        // The service has restarted and counts from the beginning. If the stream no longer exists, 404 comes again.
        await client.beginTail(stream, signal);
        [after, missed] = [0, 0];
      } else if (error.status === 0 || error.status >= 500) {
        if (!isAway) process.stderr.write(`sluice: ${error.message}; trying again\n`);
        isAway = true;
        await pause(retryPause, undefined, { signal });
      } else throw error;
    }
  }
}

/** Splits `api/stream` at the last slash: names of streams contain none. */
function parseStream(name: string): StreamName | undefined {
  const end = name.lastIndexOf("/");
  const [api, stream] = [name.slice(0, Math.max(end, 0)), name.slice(end + 1)];
  return api === "" || stream === "" ? undefined : { api, stream };
}
