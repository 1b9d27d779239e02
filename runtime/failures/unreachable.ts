// Describes network errors for operators.

/** Why a server could not be reached. */
export interface NetworkFault {
  /** `10.0.0.4:9092`, if the error names it. Never with credentials. */
  readonly address: string | undefined;
  /** `connection refused` */
  readonly words: string;
}

const wordsByCode: Readonly<Record<string, string>> = {
  EAI_AGAIN: "the name server does not answer",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTDOWN: "no route to the host",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the host",
  ENOTFOUND: "unknown host",
  EPIPE: "connection reset",
  ETIMEDOUT: "timed out",
};

/**
 * Returns what is wrong with the server's certificate, otherwise OpenSSL's text: alerts, and bytes that are not TLS.
 */
function wordsOfTls(code: string): string | undefined {
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (code === "CERT_NOT_YET_VALID") return "its certificate is not valid yet";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is for another name";
  if (/SELF_SIGNED_CERT|^UNABLE_TO_/.test(code)) return "its certificate is not trusted";
  if (!code.startsWith("ERR_SSL_")) return undefined;
  if (code.endsWith("CERTIFICATE_EXPIRED")) return "the client certificate has expired";
  if (code.endsWith("CERTIFICATE_REQUIRED")) return "it requires a client certificate";
  if (/CERTIFICATE|UNKNOWN_CA/.test(code)) return "it rejects the client certificate";
  return code.endsWith("WRONG_VERSION_NUMBER") ? "it does not speak TLS on this port" : undefined;
}

/** Returns the network fault of an error or of its causes; `undefined` for any other error. */
export function networkFault(error: unknown): NetworkFault | undefined {
  let address: string | undefined;
  for (const current of errorChain(error)) {
    address ??= addressOf(current);
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    const known = Object.hasOwn(wordsByCode, code) ? wordsByCode[code] : wordsOfTls(code);
    const words =
      known ?? ("fault" in current && typeof current.fault === "string" ? current.fault : undefined);
    if (words !== undefined) return { address, words };
  }
  return undefined;
}

/** Texts of TLS and of broker clients for failed connections without an error code. */
const wordsByText: readonly (readonly [RegExp, string])[] = [
  [/^write EPROTO .{0,200}wrong version number/, "it does not speak TLS on this port"],
  [
    /^(?:timeout$|connect ETIMEDOUT|Command timed out|connack timeout|it takes too long|Opening handshake has timed out)/,
    "timed out",
  ],
  [
    /^(?:Socket closed abruptly|the connection was closed|Connection is closed|connection closed|error connecting - node provided)/,
    "it closes the connection immediately",
  ],
  [
    /^(?:unexpected response from server|Frame size|Invalid protocol header|Invalid header flag|Unknown RESP type)/,
    "it speaks another protocol",
  ],
];

/**
 * Completes the error of a failed connection with the server, if the error does not name it, as errors of TLS and of
 * clients do not, and with the meaning of the client's text.
 */
export function noteServer(
  error: unknown,
  server: { readonly host: string; readonly port: number | string } | undefined,
): void {
  const causes = errorChain(error);
  if (server !== undefined && causes.every((cause) => addressOf(cause) === undefined))
    Object.assign(causes[0] ?? {}, {
      address: server.host.replace(/^\[|\]$/g, ""),
      port: Number(server.port),
    });
  const fault = wordsByText.find(([text]) => causes.some(({ message }) => text.test(message)))?.[1];
  if (fault !== undefined) Object.assign(causes[0] ?? {}, { fault });
}

/** Returns a text such as `Kafka: broker `10.0.0.4:9092` unreachable (connection refused)`. */
export function unreachableText(server: string, { address, words }: NetworkFault): string {
  return `${server}${address === undefined ? "" : ` \`${address}\``} unreachable (${words})`;
}

/** Returns an error and its causes, the outermost first. `next` returns the cause of one error. */
export function errorChain(error: unknown, next: (error: Error) => unknown = causeOf): readonly Error[] {
  const seen = new Set<Error>();
  for (let current = error; current instanceof Error && !seen.has(current); current = next(current))
    seen.add(current);
  return [...seen];
}

/** Returns the cause of an error. For a host with several addresses, Node.js reports one error per address. */
export function causeOf(error: Error): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error.cause;
}

/** Returns the address of a system error, or the broker of an error of the Kafka client. */
function addressOf(error: Error): string | undefined {
  if ("broker" in error && typeof error.broker === "string") return error.broker;
  const host = "hostname" in error ? error.hostname : "address" in error ? error.address : undefined;
  if (typeof host !== "string") return undefined;
  const shown = host.includes(":") ? `[${host}]` : host;
  return "port" in error && typeof error.port === "number" ? `${shown}:${error.port}` : shown;
}
