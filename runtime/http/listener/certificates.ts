// The certificate of a listener, read from files and read again when they change.

import type { X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import { forgetCertificate, noteCertificate, validityProblem } from "../../process/certificate-validity.ts";
import type { Logger } from "../../process/log.ts";
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

/** Notes the certificate that a listener shows from now on, and logs what is the matter with its validity. */
export function showCertificate({ certificate }: ListenerCertificates, file: string, log: Logger): void {
  if (!noteCertificate(file, certificate)) return; // another listener has logged it
  const problem = validityProblem(certificate, Date.now());
  if (problem !== undefined) log.warn(`certificate is ${problem.text}`, { file, remedy: replaceFiles });
}

/** What to do about a certificate of a listener that is not valid, or will soon not be. */
export const replaceFiles = "replace the files; the gateway reloads them";

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
      showCertificate(certificates, block.cert_file, log);
    } catch (error) {
      // Files are often replaced one after the other; the next look may find what belongs together.
      log.error("certificate not reloaded", { error });
    }
  };
  for (const file of files) watchFile(file, { interval: lookInterval, persistent: false }, reload);
  process.on("SIGHUP", reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
    forgetCertificate(block.cert_file);
    process.off("SIGHUP", reload);
  };
}
