import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { HttpExchange } from "../../../runtime/component/endpoint.ts";
import { requestMetadata } from "../../../runtime/http/request-metadata.ts";
import { createCertificates } from "../../harness/certificates.ts";

test("requests over TLS carry its version, its cipher suite and the subject of a verified certificate", async () => {
  const { authority, server, client } = await createCertificates();
  const seen: Record<string, unknown>[] = [];
  const listener = createServer(
    { cert: server.cert, key: server.key, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (incoming, answer) => {
      const exchange = {
        request: incoming,
        pathname: "/",
        query: "",
        params: new Map(),
        remoteAddress: "127.0.0.1",
      };
      // Contains only what the function reads.
      const { metadata } = requestMetadata(exchange as unknown as HttpExchange);
      seen.push(Object.fromEntries([...metadata].filter(([name]) => name.startsWith("http_server_tls"))));
      answer.end();
    },
  );
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  for (const shown of [undefined, client]) {
    await new Promise((resolve, reject) => {
      const credentials = shown && { cert: shown.cert, key: shown.key };
      request({ host: "127.0.0.1", port, rejectUnauthorized: false, agent: false, ...credentials }, resolve)
        .on("error", reject)
        .end();
    });
  }
  listener.closeAllConnections();
  listener.close();
  const connection = {
    http_server_tls_version: "TLSv1.3",
    http_server_tls_cipher_suite: "TLS_AES_256_GCM_SHA384",
  };
  assert.equal(seen[0], connection);
  assert.equal(seen[1], { ...connection, http_server_tls_subject: "CN=client" });
});

test.run();
