import { isFixed, type ProbedText, type Probing } from "../../probe/probe.ts";
import { probeUrl } from "../../probe/probe-url.ts";

/** What the probe reads of the options. */
export interface PortalProbeOptions {
  /** Absent where the gateway has a portal itself. */
  readonly portal_url?: ProbedText;
}

/** Connects to a portal elsewhere and asks it for nothing; one of the gateway's own is reached without a connection. */
export async function probePortal({ portal_url: url }: PortalProbeOptions, probing: Probing): Promise<void> {
  if (url !== undefined && (!isFixed(url) || url !== "")) await probeUrl({ url }, probing);
}
