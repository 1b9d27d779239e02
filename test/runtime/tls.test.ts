import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../runtime/errors.ts";
import { watched } from "../../runtime/process/metrics.ts";
import { type TlsBlock, tlsOptions } from "../../runtime/process/tls.ts";
import { createCertificates } from "../harness/certificates.ts";

const certificates = await createCertificates();
const { authority, client, lockedClient, server, stranger, directory } = certificates;
const byFile = { cert_file: client.certFile, key_file: client.keyFile };

/** The name in the client's certificate as the server sees it, or why there is no connection. */
async function clientSeen(block: TlsBlock, requestCert = true): Promise<string> {
  const { cert, key } = server;
  const listening = createServer(
    { cert, key, ca: authority.cert, requestCert, rejectUnauthorized: requestCert },
    (socket) => {
      socket.end(String(socket.getPeerCertificate().subject?.CN ?? "nobody"));
    },
  );
  listening.on("tlsClientError", () => undefined); // the client's side of the failure is what is looked at
  await once(listening.listen(0, "127.0.0.1"), "listening");
  const { port } = listening.address() as AddressInfo; // a TCP server that listens has this kind of address
  try {
    const socket = connect({ host: "127.0.0.1", port, ...tlsOptions(block) });
    const [said] = await once(socket, "data");
    socket.destroy();
    return String(said);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    listening.close();
  }
}

test("a block that is absent or off asks for nothing, whatever else it says", () => {
  assert.is(tlsOptions(undefined), undefined);
  assert.is(tlsOptions({}), undefined);
  assert.is(tlsOptions({ enabled: false, root_cas_file: "/nowhere" }), undefined);
});

test("a certificate that is shown to servers is watched: its end is a metric, and one that has expired a note", async () => {
  const { certFile, keyFile } = await certificates.lasting(-1);
  tlsOptions({ enabled: true, client_certs: [byFile, { cert_file: certFile, key_file: keyFile }] });
  const parts = [...watched];
  const series = parts.flatMap((part) => part.metrics()).flatMap((family) => family.series);
  const files = series.map(({ labels: [label] }) => label?.[1]);
  assert.ok([client.certFile, certFile].every((file) => files.includes(file)));
  const notes = parts.flatMap((part) => part.notes());
  assert.is(notes.length, 1);
  assert.ok(
    notes[0]?.startsWith(`The certificate ${certFile} is expired (CN=lasting--1, valid until `),
    notes[0],
  );
});

test("authorities are trusted by text and by file, and nobody else is", async () => {
  assert.is(await clientSeen({ enabled: true, root_cas: authority.cert }, false), "nobody");
  assert.is(await clientSeen({ enabled: true, root_cas_file: authority.certFile }, false), "nobody");
  assert.match(await clientSeen({ enabled: true }, false), /UNABLE_TO_VERIFY|SELF_SIGNED/);
  assert.match(
    await clientSeen({ enabled: true, root_cas: stranger.cert }, false),
    /UNABLE_TO_VERIFY|SELF_SIGNED/,
  );
  assert.is(await clientSeen({ enabled: true, skip_cert_verify: true }, false), "nobody");
});

test("the server learns who the client is, by text, by file, and by a key with a password", async () => {
  const trust = { enabled: true, root_cas_file: authority.certFile };
  assert.is(await clientSeen({ ...trust, client_certs: [byFile] }), "client");
  assert.is(await clientSeen({ ...trust, client_certs: [{ cert: client.cert, key: client.key }] }), "client");
  const { certFile, keyFile, password } = lockedClient;
  const locked = { cert_file: certFile, key_file: keyFile, password };
  assert.is(await clientSeen({ ...trust, client_certs: [locked] }), "client");
  assert.match(await clientSeen(trust), /CERTIFICATE_REQUIRED|ECONNRESET/);
});

test("mistakes name the field and the file, and quote nothing", () => {
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
      "tls.root_cas and tls.root_cas_file exclude each other",
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
