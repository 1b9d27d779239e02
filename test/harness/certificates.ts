import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./directories.ts";
import { run } from "./processes.ts";

/** A certificate and its key as files and as PEM text. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** A temporary certificate authority and the certificates it signed; all files are in one temporary directory. */
export interface Certificates {
  readonly directory: string;
  /** The certificate of the authority that signed the others. */
  readonly authority: CertificateFiles;
  /** For a server at `localhost`, 127.0.0.1 or ::1. */
  readonly server: CertificateFiles;
  /** For a client; its common name is `client`, its e-mail address `client@example.com`. */
  readonly client: CertificateFiles;
  /** The client's certificate with its key encrypted by `password`. */
  readonly lockedClient: CertificateFiles & { readonly password: string };
  /** Another authority, which signed none of the certificates above. */
  readonly stranger: CertificateFiles;
  /** Creates a certificate for another client; `name` also names its files. */
  another(name: string): Promise<CertificateFiles>;
  /** Creates a certificate that is valid for `days` from now; a negative number creates an expired one. */
  lasting(days: number): Promise<CertificateFiles>;
  /** Creates a certificate request with its key; `certFile` of the result is the request. */
  request(name: string): Promise<CertificateFiles>;
}

const serverNames = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1";
const clientNames = "subjectAltName=email:client@example.com";

/** Creates new certificates with openssl, valid for a day; rejects if openssl is not installed. */
export async function createCertificates(): Promise<Certificates> {
  const directory = temporaryDirectory("certificates");
  const authority = await createAuthority(directory, "authority");
  const [server, client, stranger] = await Promise.all([
    createSigned(directory, "server", "localhost", serverNames),
    createSigned(directory, "client", "client", clientNames),
    createAuthority(directory, "stranger"),
  ]);
  const another = (name: string) => createSigned(directory, name, name, clientNames);
  const request = async (name: string) => {
    const out = ["-keyout", join(directory, `${name}.key`), "-out", join(directory, `${name}.pem`)];
    await openssl(["req", "-new", ...newKey, "-subj", `/CN=${name}`, ...out]);
    return readFiles(directory, name);
  };
  const lasting = async (days: number) => {
    const name = `lasting-${days}`;
    const { certFile, keyFile } = await request(name);
    const out = ["-signkey", keyFile, "-days", String(days), "-out", certFile];
    await openssl(["x509", "-req", "-in", certFile, ...out]);
    return readFiles(directory, name);
  };
  return {
    directory,
    authority,
    server,
    client,
    stranger,
    lockedClient: await lock(directory, client),
    another,
    lasting,
    request,
  };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

async function createAuthority(directory: string, name: string): Promise<CertificateFiles> {
  const subject = ["-subj", `/CN=${name}`, "-days", "1"];
  const out = ["-keyout", join(directory, `${name}.key`), "-out", join(directory, `${name}.pem`)];
  await openssl(["req", "-x509", ...newKey, ...subject, ...out]);
  return readFiles(directory, name);
}

async function createSigned(
  directory: string,
  name: string,
  commonName: string,
  names: string,
): Promise<CertificateFiles> {
  const authority = ["-CA", join(directory, "authority.pem"), "-CAkey", join(directory, "authority.key")];
  const subject = ["-subj", `/CN=${commonName}`, "-addext", names, "-addext", "basicConstraints=CA:FALSE"];
  const out = ["-keyout", join(directory, `${name}.key`), "-out", join(directory, `${name}.pem`)];
  await openssl(["req", "-x509", ...newKey, ...authority, ...subject, "-days", "1", ...out]);
  return readFiles(directory, name);
}

async function lock(
  directory: string,
  client: CertificateFiles,
): Promise<CertificateFiles & { readonly password: string }> {
  const password = "open sesame";
  const keyFile = join(directory, "client-locked.key");
  await openssl(["pkcs8", "-topk8", "-in", client.keyFile, "-out", keyFile, "-passout", `pass:${password}`]);
  return { ...client, keyFile, key: readFileSync(keyFile, "utf8"), password };
}

function readFiles(directory: string, name: string): CertificateFiles {
  const [certFile, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  return { certFile, keyFile, cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

async function openssl(args: readonly string[]): Promise<void> {
  const { status, stderr } = await run("openssl", args);
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${status}\n${stderr}`);
}
