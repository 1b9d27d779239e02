// Encrypted connections, as documents describe them, in the options of Node's `tls.connect`.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { GatewayError } from "../errors.ts";
import { noteCertificate } from "./certificate-validity.ts";
import { fileFault, readMachineText } from "./machine-files.ts";

/** The `tls` block that connectors share; empty texts count as absent. */
export interface TlsBlock {
  readonly enabled?: boolean;
  readonly skip_cert_verify?: boolean;
  /** Refused when the gateway is built. */
  readonly enable_renegotiation?: boolean;
  readonly root_cas?: string;
  readonly root_cas_file?: string;
  readonly client_certs?: readonly CertificateOptions[];
}

/** A certificate and its key: both as text or both as files. */
export interface CertificateOptions {
  readonly cert?: string;
  readonly key?: string;
  readonly cert_file?: string;
  readonly key_file?: string;
  readonly password?: string;
}

/** The part of `tls.ConnectionOptions` that a block fills; all of it PEM text. */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  /** Takes the place of the well-known authorities. */
  readonly ca?: string;
  readonly cert?: string[];
  readonly key?: { readonly pem: string; readonly passphrase?: string }[];
}

/**
 * What `tls.connect` and the clients built on it take; `undefined` where the block is absent or switched
 * off. Reads the files now and checks that keys open and belong to their certificates, so that a mistake
 * shows at the start: throws a `GatewayError` that names the field and the file and quotes neither content
 * nor password.
 */
export function tlsOptions(block: TlsBlock | undefined): TlsOptions | undefined {
  if (block?.enabled !== true) return undefined;
  const authorities = authoritiesOf(block);
  const pairs = (block.client_certs ?? []).map((written, index) => {
    const pair = readPair(written, `tls.client_certs[${index}]`);
    noteCertificate(written.cert_file || pair.certificate.subject.replaceAll("\n", ", "), pair.certificate);
    return pair;
  });
  return {
    rejectUnauthorized: block.skip_cert_verify !== true,
    ...(authorities !== undefined && { ca: authorities }),
    ...(pairs.length > 0 && { cert: pairs.map(({ cert }) => cert), key: pairs.map(({ key }) => key) }),
  };
}

/** A text of the block, and how to name it in a complaint. */
interface Part {
  readonly name: string;
  readonly text: string;
}

function authoritiesOf({ root_cas = "", root_cas_file = "" }: TlsBlock): string | undefined {
  if (root_cas !== "" && root_cas_file !== "")
    throw mistake("tls.root_cas and tls.root_cas_file exclude each other");
  return readAuthorities("tls.root_cas", root_cas, root_cas_file);
}

/** Certificates of authorities, as PEM text; `undefined` where neither a text nor a file is given for `field`. */
export function readAuthorities(field: string, text: string, file: string): string | undefined {
  const part = readPart(field, text, file);
  if (part === undefined) return undefined;
  readCertificate(part); // Node passes over text that holds none, and then trusts no authority
  return part.text;
}

/** A certificate and its key, which has to belong to it, as PEM text and read; `name` is how complaints call the block. */
export function readPair(
  { cert = "", key = "", cert_file = "", key_file = "", password = "" }: CertificateOptions,
  name: string,
): { cert: string; key: { pem: string; passphrase?: string }; certificate: X509Certificate } {
  if ((cert !== "" || key !== "") && (cert_file !== "" || key_file !== "")) {
    throw mistake(`${name} mixes texts and files`);
  }
  const certificatePart = readPart(`${name}.cert`, cert, cert_file);
  const keyPart = readPart(`${name}.key`, key, key_file);
  if (certificatePart === undefined || keyPart === undefined) {
    throw mistake(`${name} takes \`cert\` and \`key\`, or \`cert_file\` and \`key_file\``);
  }
  const certificate = readCertificate(certificatePart);
  if (!certificate.checkPrivateKey(readKey(keyPart, password))) {
    throw mistake(`${keyPart.name} does not belong to ${certificatePart.name}`);
  }
  return {
    cert: certificatePart.text,
    key: { pem: keyPart.text, ...(password !== "" && { passphrase: password }) },
    certificate,
  };
}

/** What a field says, itself or by its file; `undefined` where neither is given. */
function readPart(field: string, text: string, file: string): Part | undefined {
  if (file === "") return text === "" ? undefined : { name: field, text };
  const name = `${field}_file (${file})`;
  try {
    return { name, text: readMachineText(file) };
  } catch (error) {
    throw mistake(`${name} cannot be read (${fileFault(error)})`, error);
  }
}

function readCertificate({ name, text }: Part): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw mistake(`${name} holds no certificate in PEM`, error);
  }
}

function readKey({ name, text }: Part, password: string): KeyObject {
  try {
    return createPrivateKey({ key: text, ...(password !== "" && { passphrase: password }) });
  } catch (error) {
    const isLocked = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(text);
    throw mistake(
      isLocked ? `${name} does not open with its password` : `${name} holds no key in PEM`,
      error,
    );
  }
}

function mistake(message: string, cause?: unknown): GatewayError {
  return new GatewayError(500, message, cause === undefined ? {} : { cause });
}
