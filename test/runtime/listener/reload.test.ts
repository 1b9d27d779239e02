import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { validityProblem } from "../../../runtime/process/certificate-validity.ts";
import { type CertificateFiles, createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { serveWith } from "./serving.ts";

const [first, second] = [await createCertificates(), await createCertificates()];

/** Returns the authority that issued the certificate of the listener. */
async function issuerAt(port: number): Promise<"first" | "second" | undefined> {
  const connection = connect({ port, rejectUnauthorized: false });
  await once(connection, "secureConnect");
  const shown = connection.getPeerX509Certificate()?.toString();
  connection.destroy();
  return shown === first.server.cert ? "first" : shown === second.server.cert ? "second" : undefined;
}

async function serveFiles(shown: CertificateFiles = first.server) {
  const directory = temporaryDirectory("reload");
  const files = { cert_file: join(directory, "cert.pem"), key_file: join(directory, "key.pem") };
  copyFileSync(shown.certFile, files.cert_file);
  copyFileSync(shown.keyFile, files.key_file);
  const before = process.listenerCount("SIGHUP");
  const gateway = await serveWith({ tls: () => secureListener(files) });
  const logged = (message: string) => gateway.lines.filter(({ msg }) => msg === message);
  return { gateway, files, before, logged };
}

test("new certificate files are served to new connections without a restart", async () => {
  const { gateway, files } = await serveFiles();
  assert.is(await issuerAt(gateway.port), "first");
  const old = connect({ port: gateway.port, ca: first.authority.cert });
  await once(old, "secureConnect");
  copyFileSync(second.server.certFile, files.cert_file);
  copyFileSync(second.server.keyFile, files.key_file);
  await until(async () => (await issuerAt(gateway.port)) === "second", { what: "the new certificate" });
  // An open connection stays open.
  old.write("POST /orders/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx");
  const [answer] = await once(old, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200/);
  old.destroy();
  await gateway.close();
});

test("SIGHUP reloads the certificate immediately; the listener for it is removed on close", async () => {
  const { gateway, files, before, logged } = await serveFiles();
  assert.is(process.listenerCount("SIGHUP"), before + 1);
  copyFileSync(second.server.certFile, files.cert_file);
  copyFileSync(second.server.keyFile, files.key_file);
  process.kill(process.pid, "SIGHUP");
  await until(() => logged("certificate reloaded").length > 0);
  assert.is(await issuerAt(gateway.port), "second");
  await gateway.close();
  assert.is(process.listenerCount("SIGHUP"), before);
});

test("unusable files leave the previous certificate in place, and are logged without their content", async () => {
  const { gateway, files, logged } = await serveFiles();
  for (const breakIt of [
    () => writeFileSync(files.cert_file, "no certificate"),
    () => copyFileSync(second.server.certFile, files.cert_file),
  ]) {
    breakIt();
    const count = logged("certificate not reloaded").length;
    process.kill(process.pid, "SIGHUP");
    await until(() => logged("certificate not reloaded").length > count);
    assert.is(await issuerAt(gateway.port), "first");
  }
  const said = JSON.stringify(logged("certificate not reloaded"));
  assert.match(said, /holds no certificate in PEM/);
  assert.match(said, /does not belong to/);
  assert.not.match(said, /PRIVATE KEY|no certificate"/);
  await gateway.close();
});

test("a certificate that has expired or expires soon is logged at start and on reload", async () => {
  const [expired, ending] = [await first.lasting(-1), await first.lasting(90)];
  const { gateway, files, logged } = await serveFiles(expired);
  const warned = () =>
    gateway.lines.filter(({ level, msg }) => level === "warn" && /^certificate/.test(String(msg)));
  const expiry = ({ cert }: CertificateFiles) => new X509Certificate(cert).validToDate;
  assert.equal(
    warned().map(({ msg, file, remedy }) => ({ msg, file, remedy })),
    [
      {
        msg: `certificate is expired (CN=lasting--1, valid until ${expiry(expired).toISOString()})`,
        file: files.cert_file,
        remedy: "replace the files; the gateway reloads them",
      },
    ],
  );
  const name = `sluice_tls_certificate_expiry_timestamp_seconds{file="${files.cert_file}"}`;
  const shows = (certificate: CertificateFiles) =>
    assert.ok(
      gateway.metrics().includes(`${name} ${expiry(certificate).getTime() / 1000}\n`),
      gateway.metrics(),
    );
  shows(expired);
  copyFileSync(ending.certFile, files.cert_file);
  copyFileSync(ending.keyFile, files.key_file);
  process.kill(process.pid, "SIGHUP");
  await until(() => logged("certificate reloaded").length > 0);
  shows(ending);
  // The certificate is valid for 90 days.
  assert.is(warned().length, 1);
  await gateway.close();
});

test("a certificate is about to expire within 30 days, or in the last third of a shorter lifetime", async () => {
  const day = 86_400_000;
  const stateAt = (certificate: X509Certificate, days: number) =>
    validityProblem(certificate, certificate.validFromDate.getTime() + days * day)?.text.replace(/ \(.*/, "");
  const [long, short] = [await first.lasting(365), first.server].map(({ cert }) => new X509Certificate(cert));
  assert.ok(long && short);
  assert.equal(
    [-0.1, 0, 334.9, 335.1, 364.9, 365.1].map((days) => stateAt(long, days)),
    ["not valid yet", undefined, undefined, "about to expire", "about to expire", "expired"],
  );
  assert.equal(
    [0, 0.66, 0.67, 1.01].map((days) => stateAt(short, days)),
    [undefined, undefined, "about to expire", "expired"],
  );
});

test.run();
