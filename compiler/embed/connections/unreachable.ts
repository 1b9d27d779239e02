// Why a server that a command asks cannot be reached, in words for people.

import { loadRuntime } from "../../evaluate/runtime-modules.ts";

/**
 * `https://host is unreachable (the host is unknown); correct the name, or add it to the name service`: what `fetch`, or the
 * reading of its answer, failed with. `patience` is the time in milliseconds that the answer had.
 */
export function unreachable(origin: string, error: unknown, patience: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${origin} is unreachable (no answer within ${patience / 1000} s); look whether it hangs or is overloaded`;
  const { reason, advice } = connectionFault(error);
  return `${origin} is unreachable (${reason})${advice === undefined ? "" : `; ${advice}`}`;
}

/** What is wrong, and what to do about it where that is known; both in half a sentence. */
interface ConnectionFault {
  readonly reason: string;
  readonly advice?: string;
}

const ofCertificates =
  "check the certificate and the scheme of the address; NODE_EXTRA_CA_CERTS names the file of an authority that Node does not know";

/** The fault of what a client of HTTP failed with. */
function connectionFault(error: unknown): ConnectionFault {
  const { causesOf, describeProbeFailure } = loadRuntime("runtime/probe/probe-failures.ts");
  const { kind, reason, advice } = describeProbeFailure(error);
  // Such as `bad port`; no address of a command has a password.
  if (kind === "other") return { reason: causesOf(error).at(-1)?.message ?? reason };
  // What the runtime advises there names settings of documents, which commands do not have.
  if (kind === "certificate" || kind === "tls") return { reason, advice: ofCertificates };
  return advice === undefined
    ? { reason }
    : { reason, advice: advice.charAt(0).toLowerCase() + advice.slice(1) };
}
