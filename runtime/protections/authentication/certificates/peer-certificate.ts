// The certificate that a client showed when its connection was made.

import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { PeerCertificate } from "node:tls";

type Socket = IncomingMessage["socket"];

const read = /* @__PURE__ */ new WeakMap<Socket, X509Certificate>();

/**
 * The certificate; `undefined` on connections without TLS, and where the client showed none. The handshake has proven
 * that the client has its key; whether anybody should trust it is still to be asked.
 */
export function peerCertificate({ socket }: IncomingMessage): X509Certificate | undefined {
  const known = read.get(socket);
  if (known !== undefined) return known;
  const raw = certificateOf(socket)?.raw;
  if (raw === undefined) return undefined;
  const certificate = new X509Certificate(raw);
  read.set(socket, certificate);
  return certificate;
}

/** Sockets with TLS have the method, those that HTTP/2 puts in their place too. */
function certificateOf(socket: Socket): Partial<PeerCertificate> | undefined {
  if (!("getPeerCertificate" in socket) || typeof socket.getPeerCertificate !== "function") return undefined;
  const found: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  return found ?? undefined;
}

/** SHA-256 of the whole certificate, 64 hexadecimal digits in lower case. */
export function fingerprintOf(certificate: X509Certificate): string {
  return normalFingerprint(certificate.fingerprint256);
}

/** A fingerprint as it is compared: `AB:CD…` as `abcd…`. */
export function normalFingerprint(text: string): string {
  return text.replaceAll(/[:\s]/g, "").toLowerCase();
}
