import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../runtime/errors.ts";
import { watched } from "../../runtime/process/metrics.ts";
import { type TlsBlock, type TlsOptions, tlsOptions, withTls } from "../../runtime/process/tls.ts";
import { createCertificates } from "../harness/certificates.ts";
import { until } from "../harness/wait.ts";

const certificates = await createCertificates();
const { authority, client, lockedClient, server, stranger, directory } = certificates;
const byFile = { cert_file: client.certFile, key_file: client.keyFile };

const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void; // the flag makes it a global
})();

/** Returns the certificate files that are watched now. */
function watchedFiles(): readonly string[] {
  const series = [...watched].flatMap((part) => part.metrics()).flatMap((family) => family.series);
  return series.map(({ labels: [label] }) => label?.[1] ?? "");
}

const watchedNotes = () => [...watched].flatMap((part) => part.notes());

/** Returns the name in the client's certificate as the server sees it, or why the connection fails. */
function clientSeen(block: TlsBlock, requestCert = true): Promise<string> {
  return seenWith(tlsOptions(block), requestCert);
}

async function seenWith(options: Partial<TlsOptions> | undefined, requestCert = true): Promise<string> {
  const { cert, key } = server;
  const listening = createServer(
    { cert, key, ca: authority.cert, requestCert, rejectUnauthorized: requestCert },
    (socket) => {
      socket.end(String(socket.getPeerCertificate().subject?.CN ?? "nobody"));
    },
  );
  listening.on("tlsClientError", () => undefined); // the tests check the client's error
  await once(listening.listen(0, "127.0.0.1"), "listening");
  const { port } = listening.address() as AddressInfo; // a TCP server that listens has this kind of address
  try {
    const socket = connect({ host: "127.0.0.1", port, ...options });
    const [said] = await once(socket, "data");
    socket.destroy();
    return String(said);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    listening.close();
  }
}

test("an absent or disabled block has no effect, regardless of its other fields", () => {
  assert.is(tlsOptions(undefined), undefined);
  assert.is(tlsOptions({}), undefined);
  assert.is(tlsOptions({ enabled: false, root_cas_file: "/nowhere" }), undefined);
});

test("a client certificate is watched: its expiry is a metric, and an expired one is reported", async () => {
  const { certFile, keyFile } = await certificates.lasting(-1);
  tlsOptions({ enabled: true, client_certs: [byFile, { cert_file: certFile, key_file: keyFile }] });
  const files = watchedFiles();
  assert.ok([client.certFile, certFile].every((file) => files.includes(file)));
  const notes = watchedNotes();
  assert.is(notes.length, 1);
  assert.ok(
    notes[0]?.startsWith(`The certificate ${certFile} is expired (CN=lasting--1, valid until `),
    notes[0],
  );
});

test("changed files are reloaded: new connections use them, and faults are reported", async () => {
  const [other, third] = await Promise.all([
    certificates.another("renewed"),
    certificates.another("renewed-again"),
  ]);
  const [cert_file, key_file] = [join(directory, "mounted.pem"), join(directory, "mounted.key")];
  const root_cas_file = join(directory, "mounted-ca.pem");
  const mount = ({ certFile, keyFile }: typeof other) => {
    copyFileSync(certFile, cert_file);
    copyFileSync(keyFile, key_file);
  };
  mount(client);
  copyFileSync(authority.certFile, root_cas_file);
  const options = tlsOptions({ enabled: true, root_cas_file, client_certs: [{ cert_file, key_file }] });
  // Clients add the TLS options to their own options in this way.
  const added = withTls({ host: "127.0.0.1" }, options);
  assert.is(await seenWith(options), "client");
  mount(other);
  await until(async () => (await seenWith(options)) === "renewed");
  assert.is(await seenWith({ ...added }), "renewed");

  copyFileSync(third.keyFile, key_file);
  await until(() => watchedNotes().some((note) => note.includes("mounted.key")));
  assert.ok(
    watchedNotes().includes(
      `Files that have changed are not used: tls.client_certs[0].key_file (${key_file}) does not belong to tls.client_certs[0].cert_file (${cert_file})`,
    ),
    watchedNotes().join(),
  );
  assert.is(await seenWith(options), "renewed");
  copyFileSync(third.certFile, cert_file);
  await until(() => watchedNotes().every((note) => !note.includes("mounted.key")));
  assert.is(await seenWith(options), "renewed-again");

  copyFileSync(stranger.certFile, root_cas_file);
  await until(async () => /UNABLE_TO_VERIFY|SELF_SIGNED/.test(await seenWith(options)));
});

test("a certificate is watched until its block is no longer referenced", async () => {
  const { certFile, keyFile } = await certificates.another("of-an-api");
  const block = { enabled: true, client_certs: [{ cert_file: certFile, key_file: keyFile }] };
  let used: TlsOptions | undefined = tlsOptions({ ...block });
  collectGarbage();
  await new Promise((done) => setImmediate(done));
  assert.ok(watchedFiles().includes(certFile));
  assert.is(used?.cert?.length, 1);
  used = undefined;
  await until(() => {
    collectGarbage();
    return !watchedFiles().includes(certFile);
  });
});

test("authorities are trusted by text and by file, and no others", async () => {
  assert.is(await clientSeen({ enabled: true, root_cas: authority.cert }, false), "nobody");
  assert.is(await clientSeen({ enabled: true, root_cas_file: authority.certFile }, false), "nobody");
  assert.match(await clientSeen({ enabled: true }, false), /UNABLE_TO_VERIFY|SELF_SIGNED/);
  assert.match(
    await clientSeen({ enabled: true, root_cas: stranger.cert }, false),
    /UNABLE_TO_VERIFY|SELF_SIGNED/,
  );
  assert.is(await clientSeen({ enabled: true, skip_cert_verify: true }, false), "nobody");
});

test("the client's certificate is sent, from text, from a file, and with an encrypted key", async () => {
  const trust = { enabled: true, root_cas_file: authority.certFile };
  assert.is(await clientSeen({ ...trust, client_certs: [byFile] }), "client");
  assert.is(await clientSeen({ ...trust, client_certs: [{ cert: client.cert, key: client.key }] }), "client");
  const { certFile, keyFile, password } = lockedClient;
  const locked = { cert_file: certFile, key_file: keyFile, password };
  assert.is(await clientSeen({ ...trust, client_certs: [locked] }), "client");
  assert.match(await clientSeen(trust), /CERTIFICATE_REQUIRED|ECONNRESET/);
});

test("errors name the field and the file, and quote nothing", () => {
  const junk = join(directory, "junk.pem");
  writeFileSync(junk, "a secret that is no PEM");
  const missing = join(directory, "missing.pem");
  const locked = { cert_file: lockedClient.certFile, key_file: lockedClient.keyFile };
  const cases: readonly (readonly [Omit<TlsBlock, "enabled">, string])[] = [
    [{ root_cas_file: missing }, `tls.root_cas_file (${missing}) cannot be read (no such file or directory)`],
    [{ root_cas_file: junk }, `tls.root_cas_file (${junk}) holds no certificate in PEM`],
    [{ root_cas: "a secret" }, "tls.root_cas holds no certificate in PEM"],
    [
      { root_cas: authority.cert, root_cas_file: junk },
      "tls.root_cas and tls.root_cas_file are mutually exclusive",
    ],
    [
      { client_certs: [byFile, {}] },
      "tls.client_certs[1] takes `cert` and `key`, or `cert_file` and `key_file`",
    ],
    [
      { client_certs: [{ cert: client.cert }] },
      "tls.client_certs[0] takes `cert` and `key`, or `cert_file` and `key_file`",
    ],
    [{ client_certs: [{ ...byFile, key: client.key }] }, "tls.client_certs[0] mixes texts and files"],
    [
      { client_certs: [{ ...byFile, key_file: missing }] },
      `tls.client_certs[0].key_file (${missing}) cannot be read (no such file or directory)`,
    ],
    [
      { client_certs: [{ ...byFile, key_file: junk }] },
      `tls.client_certs[0].key_file (${junk}) holds no key in PEM`,
    ],
    [
      { client_certs: [{ cert: client.cert, key: "a secret" }] },
      "tls.client_certs[0].key holds no key in PEM",
    ],
    [
      { client_certs: [locked] },
      `tls.client_certs[0].key_file (${lockedClient.keyFile}) does not open with its password`,
    ],
    [
      { client_certs: [{ ...locked, password: "wrong" }] },
      `tls.client_certs[0].key_file (${lockedClient.keyFile}) does not open with its password`,
    ],
    [
      { client_certs: [{ cert: client.cert, key: server.key }] },
      "tls.client_certs[0].key does not belong to tls.client_certs[0].cert",
    ],
  ];
  for (const [block, message] of cases) {
    let thrown: unknown;
    try {
      tlsOptions({ ...block, enabled: true });
    } catch (error) {
      thrown = error;
    }
    assert.instance(thrown, GatewayError, message);
    assert.is(thrown instanceof Error && thrown.message, message);
  }
});

test.run();
