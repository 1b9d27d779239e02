// Checks that the certificates a gateway presents are usable and valid, with the rules of the runtime.

import type { X509Certificate } from "node:crypto";
import type { ListenerTlsBlock } from "../../../runtime/http/listener/certificates.ts";
import type { TlsBlock } from "../../../runtime/process/tls.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { Plan } from "../../plan/plan.ts";
import { evaluateOptions, type VariableValues } from "./known-options.ts";
import { connectionOptions } from "./test-connections.ts";

/** A certificate that a listener or a client presents. */
export interface ExaminedCertificate {
  readonly file: string;
  /** `undefined` if it cannot be read. */
  readonly validUntil: Date | undefined;
  /** The problem, if there is one. `isRefused`: whether the certificate cannot be used now. */
  readonly problem:
    | { readonly text: string; readonly isRefused: boolean; readonly remedy: string }
    | undefined;
}

/**
 * Examines the certificate of the listener of `plan`; returns `undefined` if it has none. Throws a `StartError`
 * that names the missing environment variables.
 */
export function examineCertificate(
  { settings: { tls } }: Plan,
  variables: VariableValues,
): ExaminedCertificate | undefined {
  if (tls === undefined) return undefined;
  const { readCertificates, replaceFiles } = loadRuntime("runtime/http/listener/certificates.ts");
  // The plan of `listen.tls`; the schema has checked its fields.
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

/**
 * Examines the client certificates of `plan`. Unreadable ones are skipped: they fail the tests of their connections.
 */
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
