// Says how a gateway is to whoever manages it: on change, at most once a second, and every ten seconds that it is there.

import { pause } from "../backoff.ts";
import type { Logger } from "../log.ts";
import { describe } from "./deployment.ts";
import type { ArtifactSource, GatewayReport } from "./source.ts";

/** Milliseconds. */
const interval = 1_000;
const longestSilence = 10_000;

/** Reports until `signal` ends it. Reports that do not arrive are not repeated: the next one says it all. */
export async function reportTo(
  source: ArtifactSource,
  report: () => GatewayReport,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  if (source.report === undefined) return;
  let sent = "";
  let at = 0;
  let isHeard = true;
  while (!signal.aborted) {
    const current = report();
    const text = JSON.stringify(current);
    if (text !== sent || Date.now() - at >= longestSilence) {
      try {
        await source.report(current, signal);
        [sent, at, isHeard] = [text, Date.now(), true];
      } catch (error) {
        if (isHeard && !signal.aborted)
          log.warn("reports do not arrive", { to: source.name, problem: describe(error) });
        isHeard = false;
      }
    }
    await pause(interval, signal);
  }
}
