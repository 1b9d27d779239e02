// An approval issues a credential that opens the API immediately, or is refused with the reason.

import { createHash, generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { clientAuthority } from "../../../runtime/portal/certificates/authority.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { jwtOfKeys } from "../../../runtime/protections/authentication/jwt-of-keys.ts";
import { mutualTls } from "../../../runtime/protections/authentication/mutual-tls.ts";
import { type CertificateFiles, createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { run } from "../../harness/processes.ts";
import { until } from "../../harness/wait.ts";
import { createSigner, startIssuer } from "../protections/authentication/signers.ts";
import { freshFile } from "../store/databases.ts";
import {
  createDeveloper,
  createPolicy,
  developerRecord,
  logIn,
  startPortal,
  type TestPortal,
  tokens,
  writeDocument,
} from "./portals.ts";

/** Creates a policy whose catalogue entry has that type of credential, and a function that approves a request for it. */
async function approving(portal: TestPortal, auth_type: string) {
  const [policy, user] = [await createPolicy(portal, auth_type), await createDeveloper(portal)];
  await writeDocument(portal, "catalogue", { apis: [{ policy_id: policy, auth_type }] });
  const approve = async (more: object = {}) => {
    const { body } = await portal.ask("POST", "/requests", {
      by_user: user,
      apply_policies: [policy],
      ...more,
    });
    const answer = await portal.ask("PUT", `/requests/approve/${body.Message}`);
    if (answer.status !== 200) await portal.ask("DELETE", `/requests/${body.Message}`);
    return answer;
  };
  return { user, approve };
}

test("a credential of a type that the API does not accept is rejected, and none is issued", async () => {
  const portal = await startPortal(await freshFile(), [], {
    schemes: {
      token: jwtOfKeys({ header: "Authorization", signingMethod: "rsa" }),
      certificate: mutualTls({}),
    },
  });
  for (const type of ["authToken", "basic", "hmac", "oauth"]) {
    const policy = await createPolicy(portal, type);
    const entry = { policy_id: policy, auth_type: type };
    const catalogue = await portal.ask("GET", "/catalogue");
    await portal.ask(catalogue.status === 200 ? "PUT" : "POST", "/catalogue", { apis: [entry] });
    const user = await createDeveloper(portal);
    const { body } = await portal.ask("POST", "/requests", { by_user: user, apply_policies: [policy] });
    const { status, body: answer } = await portal.ask("PUT", `/requests/approve/${body.Message}`);
    assert.equal(
      [status, answer.Message],
      [
        400,
        `A credential of the type \`${type}\` would grant no access: \`orders\` accepts \`jwt\`, \`mutualTLS\`. Change \`auth_type\` in the catalogue.`,
      ],
    );
    assert.equal(Object.keys(Object((await developerRecord(portal, user)).keys)), []);
    const { body: kept } = await portal.ask("GET", `/requests/${body.Message}`);
    assert.is(kept.approved, false);
  }
  await portal.close();
});

test("a JWT key must fit the algorithms by which the API verifies tokens", async () => {
  const rows = [
    ["ecdsa", {}, /^`jwt_secret` is missing: the API verifies tokens by ES256, ES384, ES512\./],
    ["rsa", { jwt_secret: "s".repeat(40) }, /^`jwt_secret` is a secret: the API verifies tokens by RS256,/],
    ["ES384", { jwt_secret: (await createSigner("ES256")).publicKey }, /is not a key for ES384,/],
    ["rsa", { jwt_secret: (await createSigner("ES256")).publicKey }, /is not a key for RS256,/],
    ["rsa", { jwt_secret: weakKey() }, /is not a key for RS256,/],
    ["hmac", { jwt_secret: (await createSigner("ES256")).publicKey }, /verifies tokens by a shared secret/],
    ["hmac", { jwt_secret: "https://example.com/keys" }, /is an address, and the API verifies/],
  ] as const;
  for (const method of ["ecdsa", "rsa", "ES384", "hmac"] as const) {
    const scheme = jwtOfKeys({ header: "Authorization", signingMethod: method });
    const portal = await startPortal(await freshFile(), [], { schemes: { scheme } });
    const { approve } = await approving(portal, "jwt");
    for (const [, more, message] of rows.filter(([name]) => name === method)) {
      const { status, body } = await approve(more);
      assert.is(status, 400, `${method} ${JSON.stringify(more)}`);
      assert.match(body.Message, message);
    }
    await portal.close();
  }
});

function weakKey(): string {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  return publicKey.export({ type: "spki", format: "pem" }).toString();
}

test("a request with an unusable key, certificate or redirect URI is rejected with the reason", async () => {
  const { publicKey } = await createSigner("ES256");
  const rows = [
    ["jwt", { jwt_secret: "too short" }, /^`jwt_secret` is shorter than 32 bytes/],
    ["jwt", {}, /^`jwt_secret` is missing/],
    ["jwt", { jwt_secret: publicKey }, undefined],
    ["jwt", { jwt_secret: "https://127.0.0.1:1/keys" }, undefined],
    ["mutualTLS", { certificate: "nonsense" }, /^`certificate` is not one certificate in PEM/],
    ["mutualTLS", {}, /^`certificate` is missing/],
    ["oauth", { redirect_uri: "http://shop.example.com/back" }, /^`redirect_uri` must use https/],
    ["oauth", { redirect_uri: "https://a.example/b, javascript:x" }, /^`redirect_uri` must use https/],
    ["oauth", { redirect_uri: "https://a.example/b, http://localhost:1/c" }, undefined],
    ["oauth", {}, undefined],
  ] as const;
  for (const kind of ["jwt", "mutualTLS", "oauth"]) {
    const portal = await startPortal(await freshFile(), [], {
      schemes: {
        token: jwtOfKeys({ header: "Authorization", signingMethod: "ecdsa" }),
        certificate: mutualTls({}),
      },
      page: portalPage,
    });
    const { user, approve } = await approving(portal, kind);
    const policy = await createPolicy(portal, "shown");
    await portal.ask("PUT", "/catalogue", { apis: [{ policy_id: policy, auth_type: kind, show: true }] });
    const password = "correct horse battery";
    await portal.ask("POST", `/developers/password/${user}`, { password });
    const own = await logIn(portal, String((await developerRecord(portal, user)).email), password);
    for (const [of, given, message] of rows) {
      if (of !== kind) continue;
      if (kind === "oauth") {
        const { redirect_uri = "" } = { redirect_uri: "", ...given };
        const { body } = await approve({ oauth_info: { redirect_uri } });
        // Valid URIs get as far as the check of what the API accepts.
        assert.match(body.Message, message ?? /would grant no access/);
      }
      const { status, body } = await own("POST", "/requests", { policy, ...given });
      assert.is(status, message === undefined ? 200 : 400, `${JSON.stringify(given)}: ${body.Message}`);
      if (message !== undefined) assert.match(body.Message, message);
      else await own("DELETE", `/requests/${body.Message}`);
    }
    await portal.close();
  }
});

test("tokens are verified by a developer's key set, before and after its keys are replaced", async () => {
  const issuer = await startIssuer();
  const [first, second, third, other] = [
    await createSigner("ES256", "own-name"),
    await createSigner("ES256", "next"),
    await createSigner("ES256", "third"),
    await createSigner("RS256", "other"),
  ];
  issuer.replies.set("/keys", { body: { keys: [first.jwk, other.jwk] } });
  issuer.replies.set("/others", { body: { keys: [other.jwk] } });
  issuer.replies.set("/long", { body: `{"keys":[${"0,".repeat(40_000)}0]}` });
  issuer.replies.set("/none", { body: "<html>" });
  issuer.replies.set("/moved", { status: 302, headers: { location: "/keys" } });
  const portal = await startPortal(await freshFile(), [], {
    schemes: { token: jwtOfKeys({ header: "Authorization", signingMethod: "ecdsa" }) },
    settings: { jwks_origins: [issuer.url] },
    page: portalPage,
  });
  const { user, approve } = await approving(portal, "jwt");
  const refused = [
    ["/others", /without a public key that verifies tokens by ES256/],
    ["/long", /its answer is longer than 65536 bytes/],
    ["/none", /its answer is not JSON/],
    ["/moved", /it answered with status 302/],
    ["/nothing", /it answered with status 404/],
  ] as const;
  for (const [path, message] of refused) {
    const { status, body } = await approve({ jwt_secret: issuer.url + path });
    assert.is(status, 400, path);
    assert.match(body.Message, message);
  }
  const { body } = await approve({ jwt_secret: `${issuer.url}/keys` });
  assert.is(body.Password, "");
  const call = async (signer: typeof first) => {
    const token = await signer.sign({}, { kid: body.RawKey });
    return portal.call({ authorization: `Bearer ${token}` });
  };
  assert.is(await call(first), 200);
  assert.is(await call(second), 403);
  assert.is(await call(other), 403);
  const before = issuer.count("/keys");
  for (let each = 0; each < 20; each += 1) await call(second);
  assert.is(issuer.count("/keys"), before, "made-up tokens do not reach the address");
  await portal.ask("POST", `/developers/password/${user}`, { password: "correct horse battery" });
  const { email } = (await portal.ask("GET", `/developers/${user}`)).body;
  const own = await logIn(portal, String(email), "correct horse battery");
  const replace = async (proof?: object) => {
    const [key] = (await own("GET", "/keys")).body.Data;
    assert.is(key?.kind, "jwt");
    return own("POST", `/keys/${key?.id}/rotate`, proof);
  };
  const callAs = async (kid: string, { sign }: typeof first) =>
    portal.call({ authorization: `Bearer ${await sign({}, { kid })}` });
  const { body: kept } = await replace();
  assert.is(await callAs(kept.RawKey, first), 200, "the address of the key set stays");
  assert.is(await callAs(body.RawKey, first), 403);
  const { body: changed } = await replace({ jwt_secret: third.publicKey });
  assert.equal([await callAs(changed.RawKey, third), await callAs(kept.RawKey, first)], [200, 403]);
  // A proof that would not open the API leaves the current credential unchanged.
  for (const proof of [undefined, { jwt_secret: "s".repeat(40) }])
    assert.is((await replace(proof)).status, 400);
  assert.is(await callAs(changed.RawKey, third), 200);
  await portal.close();
  await issuer.close();
});

const certificates = await createCertificates();
const directory = temporaryDirectory("requests");

/** Creates a certificate signing request for a new key with openssl. */
async function createRequest(name: string, kind: readonly string[]) {
  const [keyFile, file] = [join(directory, `${name}.key`), join(directory, `${name}.csr`)];
  const args = ["req", "-new", "-nodes", ...kind, "-subj", "/CN=anybody/O=other"];
  const { status, stderr } = await run("openssl", [...args, "-keyout", keyFile, "-out", file]);
  if (status !== 0) throw new Error(stderr);
  return { csr: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8") };
}

const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** Returns the status of a request with a client certificate. */
async function callWith(url: string, { cert, key }: Pick<CertificateFiles, "cert" | "key">): Promise<number> {
  const agent = new Agent({ cert, key, ca: certificates.authority.cert, keepAlive: false });
  const sent = request(`${url}/orders/new`, { method: "POST", agent });
  sent.end("a");
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

test("a certificate request is signed, and the certificate grants access until it is revoked", async () => {
  const { authority, server } = certificates;
  const portal = await startPortal(await freshFile(), [], {
    schemes: { certificate: mutualTls({}), key: authToken({ header: "X-Api-Key" }) },
    settings: {
      client_authority: clientAuthority({
        certificate: authority.cert,
        key: authority.key,
        validity: 3_600_000,
      }),
    },
    tls: () =>
      secureListener({
        cert_file: server.certFile,
        key_file: server.keyFile,
        client_certificates: "optional",
      }),
  });
  const url = portal.url.replace("http:", "https:");
  const agent = new Agent({ ca: authority.cert });
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: tokens.acme, "content-type": "application/json" };
    const sent = request(`${url}/api/portal${path}`, { method, agent, headers });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return { status: Number(response.statusCode), body: JSON.parse(text) };
  };
  const policy = (await ask("POST", "/policies", { name: "p", access_rights: { orders: {} } })).body.Message;
  const user = await createDeveloper(portal);
  await writeDocument(portal, "catalogue", { apis: [{ policy_id: policy, auth_type: "mutualTLS" }] });
  const approve = async (certificate: string) => {
    const { body } = await ask("POST", "/requests", { by_user: user, apply_policies: [policy], certificate });
    const answer = await ask("PUT", `/requests/approve/${body.Message}`);
    if (answer.status !== 200) await ask("DELETE", `/requests/${body.Message}`);
    return answer;
  };

  const serials = new Set<string>();
  for (const [name, kind] of [
    ["ec", curve],
    ["rsa", ["-newkey", "rsa:2048"]],
    ["ed25519", ["-newkey", "ed25519"]],
  ] as const) {
    const { csr, key } = await createRequest(name, kind);
    const { status, body } = await approve(csr);
    assert.is(status, 200, JSON.stringify(body));
    const certificate = new X509Certificate(body.certificate);
    assert.is(body.RawKey, createHash("sha256").update(certificate.raw).digest("hex"));
    assert.ok(certificate.verify(new X509Certificate(authority.cert).publicKey));
    assert.ok(certificate.checkIssued(new X509Certificate(authority.cert)));
    assert.is(certificate.ca, false);
    assert.is(certificate.subject, `O=acme\nCN=${user}`);
    const left = certificate.validToDate.getTime() - Date.now();
    assert.ok(left > 3_500_000 && left <= 3_600_000);
    serials.add(certificate.serialNumber);
    assert.is(await callWith(url, { cert: body.certificate, key }), 200);
    if (name !== "ec") continue;
    const [certFile, caFile] = [join(directory, "signed.pem"), authority.certFile];
    writeFileSync(certFile, body.certificate);
    const verified = await run("openssl", ["verify", "-purpose", "sslclient", "-CAfile", caFile, certFile]);
    assert.is(verified.status, 0, verified.stderr);
    assert.is((await ask("DELETE", `/developers/${user}/keys/${body.RawKey}`)).status, 200);
    await until(async () => (await callWith(url, { cert: body.certificate, key })) === 403);
  }
  assert.is(serials.size, 3);

  const { csr } = await createRequest("spoiled", curve);
  const spoiled = Buffer.from(csr.replace(/-----[^-]+-----/g, ""), "base64");
  spoiled.writeUInt8(spoiled.readUInt8(40) ^ 1, 40);
  const pem = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  const refused = [
    [(await createRequest("weak", ["-newkey", "rsa:1024"])).csr, /key other than RSA of 2048 bits/],
    [pem(spoiled), /not signed by the key that it holds|not one certificate request/],
    [pem(spoiled.subarray(0, 60)), /not one certificate request in PEM/],
    [pem(Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])), /not one certificate request in PEM/],
    [`${csr}${csr}`, /not one certificate request in PEM/],
  ] as const;
  for (const [text, message] of refused) {
    const { status, body } = await approve(text);
    assert.is(status, 400, JSON.stringify(body));
    assert.match(body.Message, message);
  }
  agent.destroy();
  await portal.close();
});

test("a certificate authority that cannot sign client certificates is reported at start", () => {
  const { authority, client, stranger } = certificates;
  const rows = [
    [{ certificate: "no", key: authority.key }, /not a certificate in PEM/],
    [{ certificate: client.cert, key: client.key }, /not that of an authority/],
    [{ certificate: authority.cert, key: "no" }, /not a private key in PEM/],
    [{ certificate: authority.cert, key: stranger.key }, /not the key of/],
  ] as const;
  for (const [options, message] of rows) {
    assert.throws(
      () => clientAuthority(options),
      (error: unknown) => error instanceof EnvironmentError && message.test(error.message),
    );
  }
});

test.run();
