import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { serveWith } from "./serving.ts";

const [first, second] = [await createCertificates(), await createCertificates()];

/** The authority that issued what the listener shows. */
async function issuerAt(port: number): Promise<"first" | "second" | undefined> {
  const connection = connect({ port, rejectUnauthorized: false });
  await once(connection, "secureConnect");
  const shown = connection.getPeerX509Certificate()?.toString();
  connection.destroy();
  return shown === first.server.cert ? "first" : shown === second.server.cert ? "second" : undefined;
}

async function serveFiles() {
  const directory = temporaryDirectory("reload");
  const files = { cert_file: join(directory, "cert.pem"), key_file: join(directory, "key.pem") };
  copyFileSync(first.server.certFile, files.cert_file);
  copyFileSync(first.server.keyFile, files.key_file);
  const before = process.listenerCount("SIGHUP");
  const gateway = await serveWith({ tls: () => secureListener(files) });
  const logged = (message: string) => gateway.lines.filter(({ msg }) => msg === message);
  return { gateway, files, before, logged };
}

test("new files are shown to new connections without a restart", async () => {
  const { gateway, files } = await serveFiles();
  assert.is(await issuerAt(gateway.port), "first");
  const old = connect({ port: gateway.port, ca: first.authority.cert });
  await once(old, "secureConnect");
  copyFileSync(second.server.certFile, files.cert_file);
  copyFileSync(second.server.keyFile, files.key_file);
  await until(async () => (await issuerAt(gateway.port)) === "second", { what: "the new certificate" });
  // A connection that is open stays.
  old.write("POST /orders/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx");
  const [answer] = await once(old, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200/);
  old.destroy();
  await gateway.close();
});

test("SIGHUP has them read at once; nothing listens for it afterwards", async () => {
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

test("files that are of no use keep the old ones, and are logged without their content", async () => {
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

test.run();
