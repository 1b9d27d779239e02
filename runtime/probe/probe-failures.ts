// Describes connection failures to operators: what is wrong, and what to do. The texts of other libraries' errors are
// never passed on: they may quote addresses with passwords.

import { GatewayError } from "../errors.ts";
import { causeOf, errorChain } from "../failures/unreachable.ts";

/** The kinds of failures. */
export type FailureKind =
  | "unknown-host"
  | "refused"
  | "unreachable"
  | "timeout"
  | "certificate"
  | "tls"
  | "authentication"
  | "forbidden"
  | "missing"
  | "unfit"
  | "settings"
  | "other";

/** The subject and the result of a check; no text contains a secret. */
export interface Finding {
  /** The subject, such as `address localhost:9092`, `login` or `topic orders`. */
  readonly check: string;
  readonly outcome: ProbeOutcome;
  /** The kind of a failure, for programs. */
  readonly kind?: FailureKind;
  /** What is wrong, or why it was not tested, as a clause. */
  readonly reason?: string;
  /** What to do about it, in the imperative. */
  readonly advice?: string;
}

/** The result of one check. */
export type ProbeOutcome = "passed" | "failed" | "untested";

/** A failure whose cause a probe has recognised. */
export class ProbeFailure extends Error {
  override readonly name = "ProbeFailure";
  readonly kind: FailureKind;
  readonly advice: string | undefined;

  constructor(
    kind: FailureKind,
    reason: string,
    { advice, cause }: { advice?: string; cause?: unknown } = {},
  ) {
    super(reason, { cause });
    this.kind = kind;
    this.advice = advice;
  }
}

type Description = Required<Pick<Finding, "kind" | "reason">> & Pick<Finding, "advice">;

/** Describes an error for a finding: by its code, otherwise with the text of the runtime's own errors. */
export function describeProbeFailure(error: unknown): Description {
  const failure = understand(error);
  const { kind, message, advice } = failure;
  return { kind, reason: message, ...(advice !== undefined && { advice }) };
}

function understand(error: unknown): ProbeFailure {
  const chain = causesOf(error);
  const own = chain.find((each) => each instanceof ProbeFailure);
  if (own !== undefined) return own;
  for (const each of chain) {
    const known = byCode(codeOf(each), each);
    if (known !== undefined) return known;
  }
  const known = chain.find((each) => each instanceof GatewayError);
  if (known !== undefined)
    return new ProbeFailure(known.status === 500 ? "settings" : "other", known.message);
  const code = chain.map(codeOf).find((each) => each !== undefined);
  return new ProbeFailure(
    "other",
    code === undefined ? "it fails for an unknown reason" : `it fails (${code})`,
  );
}

/** Returns an error and its causes, the innermost last. */
export function causesOf(error: unknown): readonly Error[] {
  return errorChain(error, innerOf);
}

/** Returns the cause of an error, for which clients use different properties. */
function innerOf(error: Error): unknown {
  const cause = causeOf(error);
  if (cause !== undefined) return cause;
  for (const key of ["chainedError", "originalError", "lastNodeError"]) {
    if (key in error) return error[key as keyof Error];
  }
  return undefined;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const byNetwork: Readonly<Record<string, () => ProbeFailure>> = {
  ENOTFOUND: unknownHost,
  EAI_AGAIN: () =>
    new ProbeFailure("unknown-host", "the name server does not answer", {
      advice: "Check the name service of this machine, and try again",
    }),
  ECONNREFUSED: () =>
    new ProbeFailure("refused", "the connection is refused: nothing listens there", {
      advice: "Check host and port, and that the server runs",
    }),
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ECONNRESET: ended,
  EPIPE: ended,
  // Codes of `fetch`.
  UND_ERR_SOCKET: ended,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
};

function unknownHost(): ProbeFailure {
  return new ProbeFailure("unknown-host", "the host is unknown", {
    advice: "Correct the name, or add it to the name service",
  });
}

function unreachable(): ProbeFailure {
  return new ProbeFailure("unreachable", "the host cannot be reached", {
    advice: "Check routes and firewalls between this machine and the host",
  });
}

function ended(): ProbeFailure {
  return new ProbeFailure("refused", "the server closed the connection", {
    advice: "Check that the port is for this protocol, and whether it requires TLS or a client certificate",
  });
}

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);

function byCode(code: string | undefined, error: Error): ProbeFailure | undefined {
  if (code === undefined) return undefined;
  if (Object.hasOwn(byNetwork, code)) return byNetwork[code]?.();
  if (untrusted.has(code)) {
    return new ProbeFailure("certificate", "its certificate is not trusted", {
      advice: "Set the certificate of the authority that signed it in `tls.root_cas_file` or `tls.root_cas`",
    });
  }
  if (code === "CERT_HAS_EXPIRED") {
    return new ProbeFailure("certificate", "its certificate has expired", {
      advice: "Renew it on the server",
    });
  }
  if (code === "CERT_NOT_YET_VALID") {
    return new ProbeFailure("certificate", "its certificate is not valid yet", {
      advice: "Check the clocks of this machine and of the server",
    });
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new ProbeFailure("certificate", "its certificate is for another name", {
      advice: "Use a name in the certificate, or issue a certificate for this name",
    });
  }
  return byTlsLibrary(code, error);
}

/** Describes an OpenSSL error by its code, which shows what the other side sent. */
function byTlsLibrary(code: string, error: Error): ProbeFailure | undefined {
  if (!code.startsWith("ERR_SSL_") && code !== "EPROTO") return undefined;
  const words = `${code} ${error.message}`;
  if (/wrong.version.number|packet.length.too.long|http.request/i.test(words)) {
    return new ProbeFailure("tls", "the server does not speak TLS on this port", {
      advice: "Disable `tls`, or use the TLS port",
    });
  }
  if (/certificate.required|handshake.failure|alert.bad.certificate|unknown.ca/i.test(words)) {
    return new ProbeFailure("certificate", "the server requires another client certificate", {
      advice: "Set one that it trusts in `tls.client_certs`",
    });
  }
  return new ProbeFailure("tls", `TLS fails (${code})`, {
    advice: "Check which TLS versions and ciphers the server supports",
  });
}
