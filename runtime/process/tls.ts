// Converts the TLS settings of documents to the options of Node's `tls.connect`.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import { GatewayError } from "../errors.ts";
import { noteHolder } from "./certificate-validity.ts";
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

/**
 * The part of `tls.ConnectionOptions` that a block fills, as PEM text. Properties that come from files are getters
 * that return the current content, so that a new connection presents a renewed certificate. Pass the object on, or
 * add it with `withTls`: a spread would copy the content that the files have at that time.
 */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  /** Replaces the well-known authorities. */
  readonly ca?: string;
  readonly cert?: string[];
  readonly key?: { readonly pem: string; readonly passphrase?: string }[];
}

/**
 * Returns options for `tls.connect` and the clients built on it; `undefined` if the block is absent or disabled.
 * Reads the files immediately and checks that keys can be opened and match their certificates, so that a mistake is
 * found at the start. Throws a `GatewayError` that names the field and the file and quotes neither content nor
 * password.
 */
export function tlsOptions(block: TlsBlock | undefined): TlsOptions | undefined {
  if (block?.enabled !== true) return undefined;
  const options = { rejectUnauthorized: block.skip_cert_verify !== true };
  const { root_cas = "", root_cas_file = "", client_certs = [] } = block;
  if (root_cas === "" && root_cas_file === "" && client_certs.length === 0) return options;
  const held = heldBy(block);
  const live = (read: () => unknown) => ({ get: read, enumerable: true });
  return Object.defineProperties(options, {
    ...(held.now.ca !== undefined && { ca: live(() => held.now.ca) }),
    ...(client_certs.length > 0 && {
      cert: live(() => held.now.pairs.map(({ cert }) => cert)),
      key: live(() => held.now.pairs.map(({ key }) => key)),
    }),
  });
}

/** Adds the properties of `tls` to `options` as getters, which return the current content of the files. */
export function withTls<T extends object>(options: T, tls: TlsOptions | undefined): T & Partial<TlsOptions> {
  return Object.defineProperties(options, Object.getOwnPropertyDescriptors(tls ?? {}));
}

/** Returns the certificates that a block presents, by their names; reads the files like `tlsOptions`. */
export function certificatesOf(block: TlsBlock | undefined): ReadonlyMap<string, X509Certificate> {
  return block?.enabled !== true || !block.client_certs?.length ? new Map() : heldBy(block).certificates;
}

/** The content of a block, from its texts or its files. */
interface Held {
  readonly ca: string | undefined;
  readonly pairs: readonly ReadPair[];
}

/** Milliseconds between two checks of the files of a block; a check happens only when its content is read. */
const lookInterval = 1_000;

/**
 * The content of a block: read once, and again when one of its files has changed. Invalid new content changes
 * nothing.
 */
class HeldByBlock {
  readonly #block: TlsBlock;
  readonly #files: readonly string[];
  #held: Held;
  #state: string;
  #lookedAt = performance.now();
  #fault: string | undefined;

  constructor(block: TlsBlock) {
    const { root_cas_file = "", client_certs = [] } = block;
    const files = client_certs.flatMap(({ cert_file = "", key_file = "" }) => [cert_file, key_file]);
    this.#block = block;
    this.#files = [root_cas_file, ...files].filter((file) => file !== "");
    this.#state = this.#stateOfFiles();
    this.#held = readBlock(block);
    if (client_certs.length > 0) noteHolder(this);
  }

  get now(): Held {
    this.#look();
    return this.#held;
  }

  get certificates(): ReadonlyMap<string, X509Certificate> {
    const { client_certs = [] } = this.#block;
    return new Map(
      this.now.pairs.map(({ certificate }, index) => [
        client_certs[index]?.cert_file || certificate.subject.replaceAll("\n", ", "),
        certificate,
      ]),
    );
  }

  /** Why changed files are not used. */
  get fault(): string | undefined {
    this.#look();
    return this.#fault;
  }

  #look(): void {
    const now = performance.now();
    if (this.#files.length === 0 || now - this.#lookedAt < lookInterval) return;
    this.#lookedAt = now;
    const state = this.#stateOfFiles();
    if (state === this.#state) return;
    this.#state = state;
    try {
      this.#held = readBlock(this.#block);
      this.#fault = undefined;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // Files are often replaced one after the other; at the next check they may match.
      this.#fault = error.message;
    }
  }

  /** Returns a text that changes when a file is written or replaced. */
  #stateOfFiles(): string {
    const states = this.#files.map((file) => statSync(file, { throwIfNoEntry: false }));
    return states.map((state) => `${state?.ino} ${state?.mtimeMs} ${state?.size}`).join();
  }
}

/** Components reconnect with the same block; its content can be garbage-collected together with the block. */
const heldByBlocks = /* @__PURE__ */ new WeakMap<TlsBlock, HeldByBlock>();

function heldBy(block: TlsBlock): HeldByBlock {
  const held = heldByBlocks.get(block) ?? new HeldByBlock(block);
  heldByBlocks.set(block, held);
  return held;
}

function readBlock(block: TlsBlock): Held {
  return {
    ca: authoritiesOf(block),
    pairs: (block.client_certs ?? []).map((written, index) =>
      readPair(written, `tls.client_certs[${index}]`),
    ),
  };
}

/** A text of the block, and its name in error messages. */
interface Part {
  readonly name: string;
  readonly text: string;
}

function authoritiesOf({ root_cas = "", root_cas_file = "" }: TlsBlock): string | undefined {
  if (root_cas !== "" && root_cas_file !== "")
    throw mistake("tls.root_cas and tls.root_cas_file are mutually exclusive");
  return readAuthorities("tls.root_cas", root_cas, root_cas_file);
}

/**
 * Returns the certificates of authorities as PEM text; `undefined` if neither a text nor a file is given for `field`.
 */
export function readAuthorities(field: string, text: string, file: string): string | undefined {
  const part = readPart(field, text, file);
  if (part === undefined) return undefined;
  readCertificate(part); // Node ignores text that contains no certificate, and then trusts no authority
  return part.text;
}

/** A certificate and its key as PEM text, and the parsed certificate. */
interface ReadPair {
  readonly cert: string;
  readonly key: { readonly pem: string; readonly passphrase?: string };
  readonly certificate: X509Certificate;
}

/** Reads a certificate and its key, which must match; `name`: the name of the block in error messages. */
export function readPair(
  { cert = "", key = "", cert_file = "", key_file = "", password = "" }: CertificateOptions,
  name: string,
): ReadPair {
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

/** Returns the content of a field, from its text or its file; `undefined` if neither is given. */
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
