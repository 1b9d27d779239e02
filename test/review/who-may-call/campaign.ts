// Serves random documents and sends random spellings of their requests over both versions of HTTP to an upstream that
// reads leniently. Compares what arrives there with an oracle of who may call what.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { hashSync } from "bcryptjs";
import { compile } from "../../../compiler/index.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { type BuiltGateway, startBundle } from "../../e2e/gateway.ts";
import { type Certificates, createCertificates } from "../../harness/certificates.ts";
import { projectRoot, temporaryDirectory } from "../../harness/directories.ts";
import { type HttpServer, httpServer, type ReceivedRequest } from "../../harness/http-server.ts";
import { type Http2Client, http2Client } from "../../runtime/listener/http2-client.ts";
import type { Campaign, RoundResult } from "../campaign.ts";
import { type Api, createApis, credentials, documentOf, settingsOf } from "./model.ts";
import { operationsOf, operationsOfStream, type Received, satisfies } from "./oracle.ts";
import { type Attempt, createAttempts } from "./requests.ts";

const atOnce = 20;

/** The extent of a round. */
interface RoundSize {
  readonly apis: number;
  readonly attempts: number;
}

/** Only what the document permits can be reached, however a request is spelled. */
export const whoMayCall: Campaign = createCampaign({ apis: 12, attempts: 600 });

/** The same campaign with smaller rounds, for `npm test`. */
export const whoMayCallShort: Campaign = createCampaign({ apis: 4, attempts: 100 });

function createCampaign(size: RoundSize): Campaign {
  return {
    claim:
      "No request reaches an operation, under any spelling that its upstream takes for it, without the credential, the parameters and the share of a limit that the operation asks for.",
    async prepare() {
      const certificates = await createCertificates();
      const upstream = await httpServer();
      return {
        round: (seed) => runRound(seed, size, certificates, upstream),
        close: () => upstream.close(),
      };
    },
  };
}

async function runRound(
  seed: number,
  size: RoundSize,
  certificates: Certificates,
  upstream: HttpServer,
): Promise<RoundResult> {
  const apis = createApis(seed, size.apis);
  const gateway = await startGateway(apis, certificates, upstream);
  const client = await http2Client(gateway.url, { ca: certificates.authority.cert });
  try {
    const attempts = createAttempts(apis, seed, size.attempts);
    const before = upstream.requests.length;
    const statuses = await sendAll(attempts, (attempt, index) =>
      attempt.isHttp2
        ? askByHttp2(client, attempt, index)
        : askByHttp1(Number(new URL(gateway.url).port), certificates.authority.cert, attempt, index),
    );
    return {
      attempts: attempts.length,
      findings: judge(attempts, statuses, upstream.requests.slice(before)),
    };
  } finally {
    client.close();
    await gateway.program.stop();
  }
}

async function startGateway(
  apis: readonly Api[],
  { server }: Certificates,
  upstream: HttpServer,
): Promise<BuiltGateway> {
  const folder = temporaryDirectory("who-may-call");
  for (const api of apis) writeFileSync(join(folder, `${api.id}.json`), JSON.stringify(documentOf(api)));
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(settingsOf(apis)));
  const { files, diagnostics } = await compile([join(folder, "gateway.yaml")], { packageRoot: projectRoot });
  if (files === undefined)
    throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  return startBundle(folder, {
    CERT: server.certFile,
    CERT_KEY: server.keyFile,
    KEY_HASH: hashKey(credentials.key),
    LIMITED_HASH: hashKey(credentials.limited),
    PASSWORD_HASH: hashSync(credentials.password, 4),
    UPSTREAM: upstream.url,
  });
}

async function sendAll(
  attempts: readonly Attempt[],
  send: (attempt: Attempt, index: number) => Promise<number>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let start = 0; start < attempts.length; start += atOnce) {
    const batch = attempts.slice(start, start + atOnce);
    statuses.push(...(await Promise.all(batch.map((attempt, at) => send(attempt, start + at)))));
  }
  return statuses;
}

function targetOf({ api, path, n }: Attempt): string {
  return `/${api.id}${path}${n === undefined ? "" : `?n=${n}`}`;
}

function headersOf({ shown, headers }: Attempt, index: number): Readonly<Record<string, string>> {
  const { key, limited, user, password } = credentials;
  const shownAs = {
    nothing: {},
    "wrong key": { "x-api-key": "guess" },
    key: { "x-api-key": key },
    "limited key": { "x-api-key": limited },
    user: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` },
  } satisfies Record<Attempt["shown"], Readonly<Record<string, string>>>;
  return { "x-try": String(index), ...shownAs[shown], ...headers };
}

/** Returns the status; 0 if the connection ended without one. */
async function askByHttp1(port: number, ca: string, attempt: Attempt, index: number): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] });
  // A connection that is cut off has no status.
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  const lines = Object.entries(headersOf(attempt, index)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${attempt.method} ${targetOf(attempt)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n`;
  socket.write(`${head}${lines.join("")}\r\n`);
  const answer = await text(socket);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

async function askByHttp2(client: Http2Client, attempt: Attempt, index: number): Promise<number> {
  const { status } = await client.ask({
    ":method": attempt.method,
    ":path": targetOf(attempt),
    ...headersOf(attempt, index),
  });
  return status;
}

function judge(
  attempts: readonly Attempt[],
  statuses: readonly number[],
  received: readonly ReceivedRequest[],
): readonly string[] {
  const findings: string[] = [];
  const counted = new Map<object, number>();
  const arrived = new Set<number>();
  for (const request of received) {
    const index = Number(request.headers["x-try"]);
    const attempt = attempts[index];
    if (attempt === undefined) continue;
    arrived.add(index);
    const find = (why: string) =>
      findings.push(`${why}: ${print(attempt)}, arrived as ${request.method} ${request.path}`);
    for (const operation of reachedBy(request, attempt.api)) {
      const name = `${operation.method} ${operation.path}`;
      if (!satisfies(attempt.shown, operation.asks)) find(`${name} asks for ${operation.asks}`);
      if (operation.isValidated && attempt.n !== "1") find(`${name} asks for a number \`n\``);
      if (operation.limit === undefined || attempt.shown !== "limited key") continue;
      const count = (counted.get(operation) ?? 0) + 1;
      counted.set(operation, count);
      if (count > operation.limit) find(`${name} is limited to ${operation.limit}`);
    }
  }
  for (const [index, attempt] of attempts.entries()) {
    const status = statuses[index] ?? 0;
    if (attempt.declared !== undefined && (status !== 200 || !arrived.has(index))) {
      findings.push(`a request that may come got ${status}: ${print(attempt)}`);
    }
    if (status >= 500 && status !== 501) findings.push(`got ${status}: ${print(attempt)}`);
  }
  return findings;
}

/** Returns the operations that a request reached, by the stream of its API or as its upstream reads the path. */
function reachedBy({ method, path, headers }: ReceivedRequest, api: Api) {
  if (path.startsWith("/streams/"))
    return operationsOfStream(api, pathBelow(textOf(headers, "x-path") ?? "", api));
  const request: Received = {
    ...{ method, path: pathBelow(path, api) },
    otherMethod: textOf(headers, "x-http-method-override", "x-http-method", "x_method_override"),
    otherPath: textOf(headers, "x-original-url", "x-rewrite-url"),
  };
  return operationsOf(api, request);
}

function pathBelow(path: string, { id }: Api): string {
  return path.slice(`/${id}`.length).split("?", 1)[0] ?? "";
}

function textOf(headers: ReceivedRequest["headers"], ...names: readonly string[]): string | undefined {
  const value = names.map((name) => headers[name]).find((each) => each !== undefined);
  return typeof value === "string" ? value : undefined;
}

function print({ api, isHttp2, method, shown, headers, ...rest }: Attempt): string {
  const target = targetOf({ api, isHttp2, method, shown, headers, ...rest });
  const own = JSON.stringify({ ...api, id: undefined });
  return `${method} ${target} by HTTP/${isHttp2 ? 2 : 1.1} with ${shown} ${JSON.stringify(headers)} of ${own}`;
}
