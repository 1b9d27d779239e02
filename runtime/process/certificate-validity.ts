// Reports until when the certificates that a process presents are valid: those of its listeners, and those for brokers
// and other servers.

import type { X509Certificate } from "node:crypto";
import { type Watched, watched } from "./metrics.ts";

/**
 * The period before its end in which a certificate should be replaced: 30 days, or a third of its lifetime if that is
 * shorter.
 */
const renewal = { time: 30 * 86_400_000, share: 1 / 3 };

/** The reason why the other side refuses a certificate, now or soon. */
export interface ValidityProblem {
  readonly text: string;
  /** Whether the certificate is refused now; otherwise it will be soon. */
  readonly isRefused: boolean;
}

/**
 * Returns why the other side refuses a certificate at `now`, or will refuse it soon; `undefined` if it needs no
 * action.
 */
export function validityProblem(
  { validFromDate, validToDate, subject, subjectAltName }: X509Certificate,
  now: number,
): ValidityProblem | undefined {
  const [start, end] = [validFromDate.getTime(), validToDate.getTime()];
  // A server certificate may have no subject, only alternative names.
  const name = subject ? subject.replaceAll("\n", ", ") : subjectAltName;
  const until = `${name}, valid until ${validToDate.toISOString()}`;
  if (end < now) return { text: `expired (${until})`, isRefused: true };
  if (start > now)
    return { text: `not valid yet (${name}, valid from ${validFromDate.toISOString()})`, isRefused: true };
  if (end - now > Math.min(renewal.time, (end - start) * renewal.share)) return undefined;
  return { text: `about to expire (${until})`, isRefused: false };
}

/** Reads certificates for brokers and other servers, and reads them again when their files have changed. */
export interface CertificateHolder {
  /**
   * The certificates by their file, or by their subject if they have no file. Issuers' certificates are not included.
   */
  readonly certificates: ReadonlyMap<string, X509Certificate>;
  /** Why changed files are not used. */
  readonly fault: string | undefined;
}

/** The certificates that listeners present, by file name. */
const shown = /* @__PURE__ */ new Map<string, X509Certificate>();

/** The certificates of components, for as long as the components exist. */
const holders = /* @__PURE__ */ new Set<WeakRef<CertificateHolder>>();
let lettingGo: FinalizationRegistry<WeakRef<CertificateHolder>> | undefined;

/** Watches the certificates of a component until its holder is garbage-collected. */
export function noteHolder(holder: CertificateHolder): void {
  const held = new WeakRef(holder);
  holders.add(held);
  lettingGo ??= new FinalizationRegistry((gone) => {
    holders.delete(gone);
    watchWhatIsHeld();
  });
  lettingGo.register(holder, held);
  watchWhatIsHeld();
}

function presentHolders(): readonly CertificateHolder[] {
  return [...holders].map((held) => held.deref()).filter((holder) => holder !== undefined);
}

/** Returns all certificates of this process by their files. */
function certificatesNow(): ReadonlyMap<string, X509Certificate> {
  return new Map([...presentHolders().flatMap(({ certificates }) => [...certificates]), ...shown]);
}

function watchWhatIsHeld(): void {
  if (shown.size === 0 && holders.size === 0) watched.delete(validity);
  else watched.add(validity);
}

/**
 * Records that a listener presents the certificate of a file from now on. Returns whether the certificate has
 * changed.
 */
export function noteCertificate(file: string, certificate: X509Certificate): boolean {
  const former = shown.get(file);
  shown.set(file, certificate);
  watchWhatIsHeld();
  return former?.fingerprint256 !== certificate.fingerprint256;
}

/** Records that the file is no longer used. */
export function forgetCertificate(file: string): void {
  shown.delete(file);
  watchWhatIsHeld();
}

const validity: Watched = {
  metrics: () => [
    {
      name: "sluice_tls_certificate_expiry_timestamp_seconds",
      kind: "gauge",
      help: "Expiry of a certificate that the gateway presents, in seconds since the Unix epoch",
      series: [...certificatesNow()].map(([file, { validToDate }]) => ({
        labels: [["file", file]],
        value: validToDate.getTime() / 1000,
      })),
    },
  ],
  notes: () => [
    ...[...certificatesNow()].flatMap(([file, certificate]) => {
      const problem = validityProblem(certificate, Date.now());
      return problem?.isRefused === true ? [`The certificate ${file} is ${problem.text}`] : [];
    }),
    ...new Set(
      presentHolders().flatMap(({ fault }) =>
        fault === undefined ? [] : [`Files that have changed are not used: ${fault}`],
      ),
    ),
  ],
};
