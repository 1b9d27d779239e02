import { isFixed, type ProbedText, type Probing } from "../../probe/probe.ts";
import { probeUrl } from "../../probe/probe-url.ts";

/** The options that the probe reads. */
export interface PortalProbeOptions {
  /** Absent if the gateway itself has a portal. */
  readonly portal_url?: ProbedText;
}

/** Connects to a remote portal without any request; the gateway's own portal needs no connection. */
export async function probePortal({ portal_url: url }: PortalProbeOptions, probing: Probing): Promise<void> {
  if (url !== undefined && (!isFixed(url) || url !== "")) await probeUrl({ url }, probing);
}
