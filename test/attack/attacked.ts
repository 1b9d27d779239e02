// The victim, how it is attacked with bytes, and what has to hold afterwards.

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
  /** May call everything of `/orders/`. */
  readonly key: string;
  /** May only read `/orders/events`. */
  readonly reader: string;
  /** Signs the tokens of `/tokens/`. */
  readonly signer: Signer;
  /**
   * What was reached so far that should not be: streams, their instances, the upstream. Resolves when all that the gateway
   * has told of before is read.
   */
  reached(): Promise<readonly string[]>;
  /** Bytes of memory that the process holds. */
  memory(): Promise<number>;
  /** How many objects of each kind it holds; what is garbage does not count. */
  held(): Promise<Readonly<Record<string, number>>>;
  /** Checks that it serves and has not grown without bound, and ends it. */
  finish(): Promise<void>;
}

/**
 * More than this on top of what it began with is taken for a leak. Ten thousand connections at once take about 200 MiB,
 * whose pages the process keeps.
 */
const mostGrowth = 400 * 1024 * 1024;

/** Starts the victim, without TLS unless there is a certificate. */
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
  // Streams that clients do not wait for begin by themselves.
  await until(async () => (await fetch(`${admin}/readyz`)).status === 200);
  const lines = () => program.output().match(/^REACHED .*$/gm) ?? [];
  const own = lines().length;
  const memory = async () => {
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
      // Collects what is not in use any more.
      await mark();
      const growth = (await memory()) - before;
      const status = await program.stop();
      await backend.close();
      assert.ok(growth < mostGrowth, `it holds ${Math.round(growth / 2 ** 20)} MiB more than before`);
      assert.is(status, 0, program.output());
      assert.not.match(program.output(), /"level":"error"/);
    },
  };
}

/** The statuses of everything that is answered to bytes, until the gateway ends the connection. */
export async function answersTo(port: number, bytes: string): Promise<readonly number[]> {
  const client = await rawClient(port);
  client.write(bytes);
  await client.ended();
  return [...client.received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

/** Writes `piece` again and again until the gateway ends the connection or stream, and gives how many bytes that took. */
export async function writeUntilClosed(stream: Duplex, piece: Buffer): Promise<number> {
  let [written, isClosed] = [0, false];
  let goOn = () => {};
  stream.on("drain", () => goOn());
  stream.once("close", () => {
    isClosed = true;
    goOn();
  });
  // Writing to an end that is gone fails.
  stream.on("error", () => undefined);
  for (; !isClosed; written += piece.length) {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (stream.writable && stream.write(piece)) setImmediate(resolve);
    });
  }
  return written;
}

/** A request as bytes; its connection ends after the answer. */
export function request(
  target: string,
  { method = "POST", headers = [] as readonly string[], body = "x" } = {},
): string {
  const lines = ["Host: localhost", "Connection: close", `Content-Length: ${body.length}`, ...headers];
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** An attempt, as a name and bytes. */
export type Attempt = readonly [string, string];

/** A test for each: it is answered with a refusal, or not at all, and nothing is reached. */
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

/** The test that comes last: what may come in still does, and the process is as it was. */
export function endWell(victim: Victim): void {
  test("afterwards a good request is served, and memory is bounded", async () => {
    const headers = [`X-Api-Key: ${victim.key}`];
    assert.equal(await answersTo(victim.port, request("/orders/new", { headers, body: "good" })), [200]);
    assert.match((await victim.reached()).at(-1) ?? "", /^REACHED message .*"text":"good"/);
    await victim.finish();
  });
}
