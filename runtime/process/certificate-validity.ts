// Until when the certificates that a process shows are valid: those of its listeners, and those for brokers and other servers.

import type { X509Certificate } from "node:crypto";
import { type Watched, watched } from "./metrics.ts";

/** Before its end a certificate should be replaced: within 30 days, or the last third of a shorter life. */
const renewal = { time: 30 * 86_400_000, share: 1 / 3 };

/** Why the other side refuses a certificate. */
export interface ValidityProblem {
  readonly text: string;
  /** Whether it is refused now; otherwise it will be soon. */
  readonly isRefused: boolean;
}

/** Why the other side refuses a certificate at `now`, or will soon; `undefined` where there is nothing to do. */
export function validityProblem(
  { validFromDate, validToDate, subject, subjectAltName }: X509Certificate,
  now: number,
): ValidityProblem | undefined {
  const [start, end] = [validFromDate.getTime(), validToDate.getTime()];
  // Authorities issue certificates that have names for servers alone.
  const name = subject ? subject.replaceAll("\n", ", ") : subjectAltName;
  const until = `${name}, valid until ${validToDate.toISOString()}`;
  if (end < now) return { text: `expired (${until})`, isRefused: true };
  if (start > now)
    return { text: `not valid yet (${name}, valid from ${validFromDate.toISOString()})`, isRefused: true };
  if (end - now > Math.min(renewal.time, (end - start) * renewal.share)) return undefined;
  return { text: `about to expire (${until})`, isRefused: false };
}

/** Holds certificates for brokers and other servers, and others once their files have changed. */
export interface CertificateHolder {
  /** By their files, or by their subjects. Those of authorities behind them are not read. */
  readonly certificates: ReadonlyMap<string, X509Certificate>;
  /** Why files that have changed are not used. */
  readonly fault: string | undefined;
}

/** What listeners show, by the name of its file. */
const shown = /* @__PURE__ */ new Map<string, X509Certificate>();

/** What components hold, for as long as they do. */
const holders = /* @__PURE__ */ new Set<WeakRef<CertificateHolder>>();
let lettingGo: FinalizationRegistry<WeakRef<CertificateHolder>> | undefined;

/** Watches what a component holds until nothing refers to the holder any more. */
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

/** All certificates of this process, by their files. */
function certificatesNow(): ReadonlyMap<string, X509Certificate> {
  return new Map([...presentHolders().flatMap(({ certificates }) => [...certificates]), ...shown]);
}

function watchWhatIsHeld(): void {
  if (shown.size === 0 && holders.size === 0) watched.delete(validity);
  else watched.add(validity);
}

/** Notes that a listener shows the certificate of a file from now on. Says whether it did not before. */
export function noteCertificate(file: string, certificate: X509Certificate): boolean {
  const former = shown.get(file);
  shown.set(file, certificate);
  watchWhatIsHeld();
  return former?.fingerprint256 !== certificate.fingerprint256;
}

/** The file is no longer used. */
export function forgetCertificate(file: string): void {
  shown.delete(file);
  watchWhatIsHeld();
}

const validity: Watched = {
  metrics: () => [
    {
      name: "sluice_tls_certificate_expiry_timestamp_seconds",
      kind: "gauge",
      help: "When a certificate that the gateway shows expires, in seconds since 1970",
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
