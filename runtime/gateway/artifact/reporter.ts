// Reports the state of a gateway to its management service: on change, at most once a second, and every ten seconds that it is there.

import { pause } from "../../concurrency/backoff.ts";
import type { Logger } from "../../process/log.ts";
import type { TailedProcess } from "../tail/tailing.ts";
import { describe } from "./deployment.ts";
import type { ArtifactSource, GatewayReport } from "./source.ts";

/** Milliseconds. */
const interval = 1_000;
const longestSilence = 10_000;

export interface ReportOptions {
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Looks at streams, as far as the one that is reported to asks for it. */
  readonly tailing?: TailedProcess;
}

/** Reports until `signal` ends it. Reports that do not arrive are not repeated: the next one says it all. */
export async function reportTo(
  source: ArtifactSource,
  report: () => GatewayReport | Promise<GatewayReport>,
  { log, signal, tailing }: ReportOptions,
): Promise<void> {
  if (source.report === undefined) return;
  let sent = "";
  let at = 0;
  let isHeard = true;
  while (!signal.aborted) {
    const current = await report();
    const text = JSON.stringify(current);
    if (text !== sent || performance.now() - at >= longestSilence) {
      try {
        const wish = await source.report(current, signal);
        tailing?.want(wish);
        [sent, at, isHeard] = [text, performance.now(), true];
      } catch (error) {
        if (isHeard && !signal.aborted)
          log.warn("reporting to management failed, retrying", { to: source.name, problem: describe(error) });
        isHeard = false;
        // There is no receiver for samples.
        tailing?.want(undefined);
      }
    }
    if (tailing !== undefined) await show(source, tailing, signal);
    await pause(interval, signal);
  }
  tailing?.want(undefined);
}

/** What does not arrive is lost: nothing waits for it. */
async function show(source: ArtifactSource, tailing: TailedProcess, signal: AbortSignal): Promise<void> {
  const seen = tailing.drain();
  if (seen.length === 0) return;
  try {
    tailing.want(await source.showMessages?.(seen, signal));
  } catch {
    tailing.want(undefined); // the next report says whether samples are wanted
  }
}
