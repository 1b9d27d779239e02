// A gateway in which every pattern allows every name, so that only the rules about metadata hold anything back.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuiltGateway, buildAndStart } from "../../e2e/gateway.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";

const everyName = "metadata: { include_patterns: ['.'] }";

/** The streams, each below `/NAME/{x-path}`. `RECORDER` is read from the environment. */
const httpStreams = `
    call:
      input: { http_server: { path: "/call/{x-path}" } }
      output: { http_client: { url: "\${RECORDER}/call", retries: 0, ${everyName} } }
    copies:
      input: { http_server: { path: "/copies/{x-path}" } }
      pipeline:
        processors:
          - mapping: 'meta "x-made" = "document"'
          - mutation: 'meta = @.assign({ "x-assigned": "document" })'
          - branch:
              request_map: 'root = content()'
              processors: [{ http: { url: "\${RECORDER}/copies", retries: 0, ${everyName} } }]
              result_map: 'meta = metadata()'
          - group_by_value: { value: one }
          - archive: { format: lines }
          - unarchive: { format: lines }
          - retry: { max_retries: 1, processors: [{ mapping: 'meta "x-retried" = "document"' }] }
          - try: [{ mapping: 'root = content()' }]
          - workflow:
              branches:
                one: { processors: [{ mapping: 'root = content()' }], result_map: 'meta "x-workflow" = "document"' }
      output: { inproc: copied }
    copied:
      input: { inproc: copied }
      output:
        broker:
          pattern: fan_out_sequential
          outputs:
            - http_client: { url: "\${RECORDER}/copies", retries: 0, ${everyName} }
            - fallback:
                - reject: 'not here'
                - http_client: { url: "\${RECORDER}/copies", retries: 0, ${everyName} }
    target:
      input: { http_server: { path: "/target/{x-path}" } }
      output:
        http_client:
          url: '\${RECORDER}/target/\${! metadata("x-path") }/end?first=\${! metadata("x-path") }&second=\${! metadata("x-path").escape_url_query() }&third=3'
          retries: 0
    dead:
      input: { http_server: { path: "/dead/{x-path}" } }
      error_handling:
        strategy: dead_letter
        output: { http_client: { url: "\${RECORDER}/dead", retries: 0, ${everyName} } }
      pipeline: { processors: [{ mapping: 'root = this.missing.uppercase()' }] }
      output: { drop: {} }
    reply:
      input:
        http_server:
          path: "/reply/{x-path}"
          sync_response: { metadata_headers: { include_patterns: ['.'] } }
      output: { sync_response: {} }
`;

/** A gateway of the campaign, with the authority of its certificate. */
export interface HeadersGateway {
  readonly gateway: BuiltGateway;
  readonly authority: string;
}

/** Builds and starts it with TLS, so that callers choose their protocol; adds `streams` to those of HTTP. */
export async function startHeadersGateway(
  env: Readonly<Record<string, string>>,
  streams: string = httpStreams,
): Promise<HeadersGateway> {
  const certificates = await createCertificates();
  const folder = temporaryDirectory("headers");
  const settings = `streaming: { enabled: true }
apis: [api.yaml]
listen: { address: "127.0.0.1:0", tls: { cert_file: "\${CERT}", key_file: "\${KEY}" } }
`;
  const document = `openapi: 3.1.0
info: { title: Headers, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: headers, name: Headers, state: { active: true } }
  server: { listenPath: { value: / } }
x-gw-streaming:
  streams:${streams}`;
  writeFileSync(join(folder, "gateway.yaml"), settings);
  writeFileSync(join(folder, "api.yaml"), document);
  const { certFile, keyFile } = certificates.server;
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    CERT: certFile,
    KEY: keyFile,
    ...env,
  });
  return { gateway, authority: certificates.authority.cert };
}
