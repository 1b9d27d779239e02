// The certificate of a listener, read from files and read again when they change.

import { unwatchFile, watchFile } from "node:fs";
import type { SecureContextOptions } from "node:tls";
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

/** Reads the files. Throws a `GatewayError` that names the field and the file where they are of no use. */
export function readCertificates(block: ListenerTlsBlock): SecureContextOptions {
  const { cert_file, key_file, client_ca_file = "", min_version = "1.2" } = block;
  const { cert, key } = readPair({ cert_file, key_file }, "listen.tls");
  const authorities = readAuthorities("listen.tls.client_ca", "", client_ca_file);
  return {
    cert,
    key: [key],
    minVersion: `TLSv${min_version}`,
    ...(authorities !== undefined && { ca: authorities }),
  };
}

/**
 * Calls `use` with what the files hold whenever one of them changes, or the process gets SIGHUP. What cannot be used is
 * logged and changes nothing. Gives back how to stop that.
 */
export function followCertificates(
  block: ListenerTlsBlock,
  use: (options: SecureContextOptions) => void,
  log: Logger,
): () => void {
  const files = [block.cert_file, block.key_file, block.client_ca_file ?? ""].filter((file) => file !== "");
  const reload = () => {
    try {
      use(readCertificates(block));
      log.info("certificate reloaded", { file: block.cert_file });
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
