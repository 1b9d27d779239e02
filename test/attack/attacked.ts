// Starts the gateway under attack, sends bytes to it, and checks what must hold afterwards.

import { join } from "node:path";
import type { Duplex } from "node:stream";
import { hashSync } from "bcryptjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { CertificateFiles } from "../harness/certificates.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { run, start } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import { rawClient } from "../runtime/listener/raw-client.ts";
import { createSigner, type Signer } from "../runtime/protections/authentication/signers.ts";

/** A gateway under attack. */
export interface Victim {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string;
  /** A key for all of `/orders/`. */
  readonly key: string;
  /** A key that may only read `/orders/events`. */
  readonly reader: string;
  /** Signs the tokens of `/tokens/`. */
  readonly signer: Signer;
  /**
   * Returns what the attacks reached so far although they must not: streams, their instances, the upstream. Resolves
   * when all output that the gateway wrote before the call is read.
   */
  reached(): Promise<readonly string[]>;
  /** The resident memory of the process in bytes, without garbage. */
  memory(): Promise<number>;
  /** The number of live objects of each kind; garbage is not counted. */
  held(): Promise<Readonly<Record<string, number>>>;
  /** Checks that the gateway still serves and that its memory growth is bounded, then stops it. */
  finish(): Promise<void>;
}

/**
 * Bytes of growth that count as a leak. Ten thousand simultaneous connections take about 200 MiB, whose pages the
 * process keeps.
 */
const mostGrowth = 400 * 1024 * 1024;

/** Starts the gateway, with TLS if `certificate` is set. */
export async function startVictim(certificate?: CertificateFiles): Promise<Victim> {
  const backend = await httpServer(({ path }) => ({ body: path }));
  const signer = await createSigner("RS256");
  const [key, reader] = ["a key that may call", "a key that may read"];
  const program = start(process.execPath, ["--expose-gc", join(projectRoot, "test/attack/victim.ts")], {
    env: {
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      VICTIM_KEY: key,
      VICTIM_READER: reader,
      VICTIM_PASSWORD_HASH: hashSync("blue", 4),
      VICTIM_PUBLIC_KEY: signer.publicKey,
      VICTIM_BACKEND: backend.url,
      VICTIM_CERT: certificate?.certFile,
      VICTIM_CERT_KEY: certificate?.keyFile,
    },
  });
  const [line] = await program.matching(/^\{.*"msg":"listening".*\}$/m);
  const { gateway, admin } = JSON.parse(line) as { gateway: string; admin: string };
  // Streams that do not wait for clients start on their own.
  await until(async () => (await fetch(`${admin}/readyz`)).status === 200);
  const lines = () => program.output().match(/^REACHED .*$/gm) ?? [];
  const own = lines().length;
  let collections = 0;
  const memory = async () => {
    collections += 1;
    program.process.kill("SIGIO");
    await program.matching(new RegExp(`^COLLECTED ${collections}$`, "m"));
    const { stdout } = await run("ps", ["-o", "rss=", "-p", String(program.process.pid)]);
    return Number(stdout) * 1024;
  };
  const before = await memory();
  let marks = 0;
  let walks = 0;
  const mark = () => {
    marks += 1;
    program.process.kill("SIGUSR2");
    return program.matching(new RegExp(`^MARK ${marks}$`, "m"));
  };
  return {
    url: gateway,
    port: Number(new URL(gateway).port),
    adminUrl: admin,
    key,
    reader,
    signer,
    async reached() {
      await mark();
      return [...lines().slice(own), ...backend.requests.map(({ path }) => `REACHED upstream ${path}`)];
    },
    memory,
    async held() {
      walks += 1;
      program.process.kill("SIGWINCH");
      const [, counts = ""] = await program.matching(new RegExp(`^HELD ${walks} (.*)$`, "m"));
      return JSON.parse(counts) as Record<string, number>;
    },
    async finish() {
      assert.is((await fetch(`${admin}/readyz`)).status, 200);
      const growth = (await memory()) - before;
      const status = await program.stop();
      await backend.close();
      assert.ok(growth < mostGrowth, `it holds ${Math.round(growth / 2 ** 20)} MiB more than before`);
      assert.is(status, 0, program.output());
      assert.not.match(program.output(), /"level":"error"/);
    },
  };
}

/** Returns the status of every response to `bytes` until the gateway ends the connection. */
export async function answersTo(port: number, bytes: string): Promise<readonly number[]> {
  const client = await rawClient(port);
  client.write(bytes);
  await client.ended();
  return [...client.received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

/** Writes `piece` repeatedly until the gateway ends the connection or stream. Returns the number of bytes written. */
export async function writeUntilClosed(stream: Duplex, piece: Buffer): Promise<number> {
  let [written, isClosed] = [0, false];
  let goOn = () => {};
  stream.on("drain", () => goOn());
  stream.once("close", () => {
    isClosed = true;
    goOn();
  });
  // Writing to a closed connection fails.
  stream.on("error", () => undefined);
  for (; !isClosed; written += piece.length) {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (stream.writable && stream.write(piece)) setImmediate(resolve);
    });
  }
  return written;
}

/** Returns a request as bytes; the connection closes after the response. */
export function request(
  target: string,
  { method = "POST", headers = [] as readonly string[], body = "x" } = {},
): string {
  const lines = ["Host: localhost", "Connection: close", `Content-Length: ${body.length}`, ...headers];
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The name and the bytes of an attempt. */
export type Attempt = readonly [string, string];

/** Adds a test for each attempt: the gateway refuses it or does not answer, and nothing is reached. */
export function refuseAll(group: string, victim: Victim, attempts: readonly Attempt[]): void {
  for (const [name, bytes] of attempts) {
    test(`${group}: ${name}`, async () => {
      const before = (await victim.reached()).length;
      const statuses = await answersTo(victim.port, bytes);
      for (const status of statuses) assert.ok(status >= 400 && status < 600, `answered with ${status}`);
      assert.equal((await victim.reached()).slice(before), []);
    });
  }
}

/** Adds the last test: valid requests are still served, and the process is healthy. */
export function endWell(victim: Victim): void {
  test("a valid request is served after the attacks, and memory stays bounded", async () => {
    const headers = [`X-Api-Key: ${victim.key}`];
    assert.equal(await answersTo(victim.port, request("/orders/new", { headers, body: "good" })), [200]);
    assert.match((await victim.reached()).at(-1) ?? "", /^REACHED message .*"text":"good"/);
    await victim.finish();
  });
}
