// Whether the certificate of `listen.tls` can be used and is valid, by the rules of the listener itself.

import type { ListenerTlsBlock } from "../../../runtime/http/listener/certificates.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { Plan } from "../../plan/plan.ts";
import { evaluateOptions, type VariableValues } from "./known-options.ts";

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
  const { readCertificates, validityProblem } = loadRuntime("runtime/http/listener/certificates.ts");
  // The plan of `listen.tls`, whose fields the schema has checked.
  const [block] = evaluateOptions([tls], [], variables) as [ListenerTlsBlock];
  const file = block.cert_file;
  try {
    const { certificate } = readCertificates(block);
    const problem = validityProblem(certificate, Date.now());
    return { file, validUntil: certificate.validToDate, problem };
  } catch (error) {
    const { GatewayError } = loadRuntime("runtime/errors.ts");
    if (!(error instanceof GatewayError)) throw error;
    const remedy = "correct `listen.tls` of gateway.yaml, or put the file there";
    return { file, validUntil: undefined, problem: { text: error.message, isRefused: true, remedy } };
  }
}
