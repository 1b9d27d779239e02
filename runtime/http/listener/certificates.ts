// The certificate of a listener, read from files and reloaded when they change.

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
  /** The authorities that issue the certificates of clients. */
  readonly client_ca_file?: string;
  /** Whether clients send a certificate. */
  readonly client_certificates?: "none" | "optional" | "required";
  readonly min_version?: "1.2" | "1.3";
}

/** Milliseconds between checks of the files: mounted secrets are replaced in ways that emit no event. */
const lookInterval = 1_000;

/** The content of a block's files. */
export interface ListenerCertificates {
  /** For the handshakes of new connections. */
  readonly context: SecureContextOptions;
  /** The certificate that the listener sends; the certificates of authorities after it are not parsed. */
  readonly certificate: X509Certificate;
}

/** Reads the files. Throws a `GatewayError` that names the field and the file if they are unusable. */
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

/** Records the certificate that a listener sends from now on, and logs a problem with its validity. */
export function showCertificate({ certificate }: ListenerCertificates, file: string, log: Logger): void {
  if (!noteCertificate(file, certificate)) return; // another listener has logged it
  const problem = validityProblem(certificate, Date.now());
  if (problem !== undefined) log.warn(`certificate is ${problem.text}`, { file, remedy: replaceFiles });
}

/** The remedy for a certificate of a listener that is not valid, or soon will not be. */
export const replaceFiles = "replace the files; the gateway reloads them";

/**
 * Calls `use` with the content of the files whenever one of them changes, or the process gets SIGHUP. Files that
 * cannot be used are logged and change nothing. Returns a function that stops watching.
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
      // Files are often replaced one after the other; the next check may find a matching pair.
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
