// The certificate of a listener, read from files and read again when they change.

import type { X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import type { Logger } from "../../process/log.ts";
import type { MetricFamily } from "../../process/metrics.ts";
import { readAuthorities, readPair } from "../../process/tls.ts";

/** The `listen.tls` block. */
export interface ListenerTlsBlock {
  readonly cert_file: string;
  readonly key_file: string;
  /** Authorities that issue the certificates of clients. */
  readonly client_ca_file?: string;
  /** Whether clients show one. */
  readonly client_certificates?: "none" | "optional" | "required";
  readonly min_version?: "1.2" | "1.3";
}

/** Milliseconds between looks at the files: mounted secrets are swapped in ways that no event tells of. */
const lookInterval = 1_000;

/** What the files of a block hold. */
export interface ListenerCertificates {
  /** For the handshakes of new connections. */
  readonly context: SecureContextOptions;
  /** What the listener shows; the certificates of authorities behind it are not read. */
  readonly certificate: X509Certificate;
}

/** Reads the files. Throws a `GatewayError` that names the field and the file where they are of no use. */
export function readCertificates(block: ListenerTlsBlock): ListenerCertificates {
  const { cert_file, key_file, client_ca_file = "", min_version = "1.2" } = block;
  const { cert, key, certificate } = readPair({ cert_file, key_file }, "listen.tls");
  const authorities = readAuthorities("listen.tls.client_ca", "", client_ca_file);
  return {
    context: {
      cert,
      key: [key],
      minVersion: `TLSv${min_version}`,
      ...(authorities !== undefined && { ca: authorities }),
    },
    certificate,
  };
}

/** Before its end a certificate should be replaced: within 30 days, or the last third of a shorter life. */
const renewal = { time: 30 * 86_400_000, share: 1 / 3 };

/** Why clients refuse a certificate at `now`, or will soon; `undefined` where there is nothing to do. */
export function validityProblem(
  { validFromDate, validToDate, subject, subjectAltName }: X509Certificate,
  now: number,
): { readonly text: string; readonly isRefused: boolean; readonly remedy: string } | undefined {
  const [start, end] = [validFromDate.getTime(), validToDate.getTime()];
  // Authorities issue certificates that have names for servers alone.
  const name = subject ? subject.replaceAll("\n", ", ") : subjectAltName;
  const until = `${name}, valid until ${validToDate.toISOString()}`;
  const replace = "replace the files; the gateway reloads them";
  if (end < now) return { text: `expired (${until})`, isRefused: true, remedy: replace };
  if (start > now) {
    const text = `not valid yet (${name}, valid from ${validFromDate.toISOString()})`;
    return { text, isRefused: true, remedy: "check the clock of this machine, or replace the files" };
  }
  if (end - now > Math.min(renewal.time, (end - start) * renewal.share)) return undefined;
  return { text: `about to expire (${until})`, isRefused: false, remedy: replace };
}

/** Logs what is the matter with the validity of a certificate that a listener shows from now on. */
export function warnOfValidity(certificate: X509Certificate, file: string, log: Logger): void {
  const problem = validityProblem(certificate, Date.now());
  if (problem === undefined) return;
  log.warn(`certificate is ${problem.text}`, { file, remedy: problem.remedy });
}

/** Until when the certificate of `file` is valid. */
export function validityMetric({ validToDate }: X509Certificate, file: string): MetricFamily {
  return {
    name: "sluice_tls_certificate_expiry_timestamp_seconds",
    kind: "gauge",
    help: "When the certificate of the listener expires, in seconds since 1970",
    series: [{ labels: [["file", file]], value: validToDate.getTime() / 1000 }],
  };
}

/**
 * Calls `use` with what the files hold whenever one of them changes, or the process gets SIGHUP. What cannot be used is
 * logged and changes nothing. Gives back how to stop that.
 */
export function followCertificates(
  block: ListenerTlsBlock,
  use: (certificates: ListenerCertificates) => void,
  log: Logger,
): () => void {
  const files = [block.cert_file, block.key_file, block.client_ca_file ?? ""].filter((file) => file !== "");
  const reload = () => {
    try {
      const certificates = readCertificates(block);
      use(certificates);
      log.info("certificate reloaded", { file: block.cert_file });
      warnOfValidity(certificates.certificate, block.cert_file, log);
    } catch (error) {
      // Files are often replaced one after the other; the next look may find what belongs together.
      log.error("certificate not reloaded", { error });
    }
  };
  for (const file of files) watchFile(file, { interval: lookInterval, persistent: false }, reload);
  process.on("SIGHUP", reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
    process.off("SIGHUP", reload);
  };
}
