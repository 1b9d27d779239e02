// Why a command could not connect, in the words of the runtime.

import { loadRuntime } from "../../evaluate/runtime-modules.ts";

/** What is wrong, and what to do about it where that is known; both in half a sentence. */
export interface ConnectionFault {
  readonly reason: string;
  readonly advice?: string;
}

const ofCertificates =
  "check the certificate and the scheme of the address; NODE_EXTRA_CA_CERTS names the file of an authority that Node does not know";

/** The fault of what a client of HTTP failed with. */
export function connectionFault(error: unknown): ConnectionFault {
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
