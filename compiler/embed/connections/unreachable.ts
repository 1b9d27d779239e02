// Describes for people why a server that a command uses is unreachable or responds unexpectedly.

import { loadRuntime } from "../../evaluate/runtime-modules.ts";

/**
 * Describes an error of `fetch`, or of reading its response, for example:
 * `https://host is unreachable (the host is unknown); correct the name, or add it to the name service`.
 * `patience`: the timeout of the response in milliseconds.
 */
export function unreachable(origin: string, error: unknown, patience: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${origin} is unreachable (no answer within ${patience / 1000} s); check whether it hangs or is overloaded`;
  const { reason, advice } = connectionFault(error);
  return `${origin} is unreachable (${reason})${advice === undefined ? "" : `; ${advice}`}`;
}

/**
 * The meaning of statuses that the server itself does not send in this form: they come from a proxy or another
 * server.
 */
const meanings: ReadonlyMap<number, string> = new Map([
  [401, "a proxy in front of it requires its own credentials"],
  [403, "a proxy in front of it rejects the request"],
  [404, "nothing is served there; correct the address"],
  [413, "a proxy in front of it rejects bodies of this size; raise its limit"],
  [429, "a proxy in front of it limits requests"],
  [502, "a proxy in front of it cannot reach it; check whether it runs"],
  [503, "a proxy in front of it has no server for the request; check whether it runs"],
  [
    504,
    "a proxy in front of it gets no response in time; check whether it hangs, or raise the timeout of the proxy",
  ],
]);

/**
 * Describes an unexpected status: `https://host answered with status 502 (a proxy before it cannot reach it; look
 * whether it runs)`.
 */
export function unexpectedStatus(origin: string, status: number): string {
  const isRedirect = status >= 300 && status < 400;
  const meaning = isRedirect
    ? "it leads elsewhere; use that address, or let the proxy in front of it pass commands without a sign-in"
    : meanings.get(status);
  return `${origin} answered with status ${status}${meaning === undefined ? "" : ` (${meaning})`}`;
}

/** The problem, and the remedy if known; each is half a sentence. */
interface ConnectionFault {
  readonly reason: string;
  readonly advice?: string;
}

const ofCertificates =
  "check the certificate and the scheme of the address; NODE_EXTRA_CA_CERTS names the file of an authority that Node does not know";

/** Returns the fault of an HTTP client's error. */
function connectionFault(error: unknown): ConnectionFault {
  const { causesOf, describeProbeFailure } = loadRuntime("runtime/probe/probe-failures.ts");
  const { kind, reason, advice } = describeProbeFailure(error);
  // For example `bad port`. Addresses of commands contain no passwords.
  if (kind === "other") return { reason: causesOf(error).at(-1)?.message ?? reason };
  // The advice of the runtime refers to settings of documents, which commands do not have.
  if (kind === "certificate" || kind === "tls") return { reason, advice: ofCertificates };
  return advice === undefined
    ? { reason }
    : { reason, advice: advice.charAt(0).toLowerCase() + advice.slice(1) };
}
