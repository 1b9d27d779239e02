// Whether the certificates that a gateway shows can be used and are valid, by the rules of the runtime itself.

import type { X509Certificate } from "node:crypto";
import type { ListenerTlsBlock } from "../../../runtime/http/listener/certificates.ts";
import type { TlsBlock } from "../../../runtime/process/tls.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { Plan } from "../../plan/plan.ts";
import { evaluateOptions, type VariableValues } from "./known-options.ts";
import { connectionOptions } from "./test-connections.ts";

/** A certificate that a listener would show. */
export interface ExaminedCertificate {
  readonly file: string;
  /** `undefined` where it cannot be read. */
  readonly validUntil: Date | undefined;
  /** What is wrong; `isRefused` where the listener or its clients could not use it now. */
  readonly problem:
    | { readonly text: string; readonly isRefused: boolean; readonly remedy: string }
    | undefined;
}

/**
 * Examines the certificate that the listener of `plan` would show; `undefined` where it has none. Throws a `StartError`
 * that names the variables of the environment which are missing.
 */
export function examineCertificate(
  { settings: { tls } }: Plan,
  variables: VariableValues,
): ExaminedCertificate | undefined {
  if (tls === undefined) return undefined;
  const { readCertificates, replaceFiles } = loadRuntime("runtime/http/listener/certificates.ts");
  // The plan of `listen.tls`, whose fields the schema has checked.
  const [block] = evaluateOptions([tls], [], variables) as [ListenerTlsBlock];
  const file = block.cert_file;
  try {
    const { certificate } = readCertificates(block);
    return examined(file, certificate, replaceFiles);
  } catch (error) {
    const { GatewayError } = loadRuntime("runtime/errors.ts");
    if (!(error instanceof GatewayError)) throw error;
    const remedy = "correct `listen.tls` of gateway.yaml, or put the file there";
    return { file, validUntil: undefined, problem: { text: error.message, isRefused: true, remedy } };
  }
}

/** Examines the certificates that what `plan` connects to is shown. Those that cannot be read fail the tests of the connections. */
export function clientCertificates(plan: Plan, variables: VariableValues): readonly ExaminedCertificate[] {
  const { certificatesOf } = loadRuntime("runtime/process/tls.ts");
  const { GatewayError } = loadRuntime("runtime/errors.ts");
  const certificates = connectionOptions(plan, variables).flatMap((options) => {
    try {
      return [...certificatesOf((options as { readonly tls?: TlsBlock }).tls)];
    } catch (error) {
      if (error instanceof GatewayError) return [];
      throw error;
    }
  });
  const remedy = "replace the files of `tls.client_certs`; the gateway reads them again";
  return [...new Map(certificates)].map(([file, certificate]) => examined(file, certificate, remedy));
}

function examined(file: string, certificate: X509Certificate, remedy: string): ExaminedCertificate {
  const { validityProblem } = loadRuntime("runtime/process/certificate-validity.ts");
  const problem = validityProblem(certificate, Date.now());
  return { file, validUntil: certificate.validToDate, problem: problem && { ...problem, remedy } };
}
