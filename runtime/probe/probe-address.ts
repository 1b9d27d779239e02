// Checks whether a server listens at an address: host name, TCP and, if required, TLS.

import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { TlsOptions } from "../process/tls.ts";
import type { Probing } from "./probe.ts";
import { ProbeFailure } from "./probe-failures.ts";

/** A network address. */
export interface ProbedAddress {
  readonly host: string;
  readonly port: number;
  /** Set if the connection is encrypted from the first byte. */
  readonly tls?: TlsOptions | undefined;
}

/**
 * Checks the addresses concurrently, each once; `what`: their name in findings. Returns whether at least one can be
 * used.
 */
export async function probeAddresses(
  addresses: readonly ProbedAddress[],
  probing: Probing,
  what = "address",
): Promise<boolean> {
  const distinct = new Map(addresses.map((address) => [nameOf(address), address]));
  const checks = [...distinct].map(([name, address]) =>
    probing.check(`${what} ${name}`, (signal) => connectOnce(address, signal)),
  );
  return (await Promise.all(checks)).includes(true);
}

/** Returns a text such as `localhost:9092` or `[::1]:9092`. */
function nameOf({ host, port }: ProbedAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function connectOnce({ host, port, tls }: ProbedAddress, signal: AbortSignal): Promise<void> {
  if (tls === undefined) {
    await use(connectTcp({ host, port }), (socket) => once(socket, "connect", { signal }));
    return;
  }
  // A server name must not be an IP address (RFC 6066).
  const servername = isIP(host) === 0 ? { servername: host } : {};
  await use(connectTls({ host, port, ...servername, ...tls }), async (socket) => {
    const word = afterword(socket);
    await once(socket, "secureConnect", { signal }).catch((error: unknown) => {
      throw wasCut(error)
        ? new ProbeFailure("tls", "the server closes the connection", { advice: noTls })
        : error;
    });
    if (socket.getProtocol() === "TLSv1.3") await word;
  });
}

const noTls = "Check that this is the TLS port, and which TLS versions the server supports";

/** Whether the server cut the connection during the handshake, because it expects another protocol. */
function wasCut(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET";
}

async function use<S extends Socket>(socket: S, work: (socket: S) => Promise<unknown>): Promise<void> {
  try {
    await work(socket);
  } finally {
    socket.on("error", () => undefined); // the probe is over; later errors do not matter
    socket.destroy();
  }
}

/** Milliseconds to wait for data that servers send after a handshake. */
const patience = 1000;

/**
 * Waits until the server has accepted our certificate. With TLS 1.3, the handshake ends for the client before the
 * server has checked the client certificate. A server that refuses it sends an error; a server that accepts it sends
 * a ticket for the next session or the first bytes of its protocol. A few servers send nothing, so the wait is short:
 * a later login shows the error.
 */
function afterword(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined); // the event `error` reports a failed handshake
  for (const event of ["session", "data", "close"]) socket.once(event, () => resolve());
  socket.once("error", reject);
  socket.once("secureConnect", () => {
    const timer = setTimeout(resolve, patience);
    socket.once("close", () => clearTimeout(timer));
  });
  return promise;
}
