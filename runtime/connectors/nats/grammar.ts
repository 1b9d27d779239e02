// The limits of NATS: valid subjects, keys and headers, and their sizes.

import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import type { Text } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import { line, natsKey, natsSubject, natsUnreservedSubject } from "../../generated/formats.ts";
import {
  type CheckText,
  checkText,
  formOf,
  unfit,
  unfitSize,
  unfitText,
} from "../../grammar/computed-text.ts";

/**
 * Returns the check for subjects to publish to. Reserved subjects are allowed only if the fixed beginning of
 * `subject` names one. A space or a line break in a subject would start another line of the protocol.
 */
export function subjectCheck(subject: Text): CheckText {
  return checkText("subject", formOf(subject, natsSubject, natsUnreservedSubject));
}

/** Returns the check for keys of buckets: only keys that other clients can read. */
export function keyCheck(): CheckText {
  return checkText("key", natsKey);
}

/** Sets a header. Throws a `GatewayError` if the name or the value is not valid in a header. */
export function setHeader(headers: MsgHdrs, name: string, value: string): void {
  if (!headerName.test(name)) throw unfit("A name of metadata is not the name of a NATS header");
  if (!line.accepts(value)) throw unfitText(`headers.${name}`, line.expected);
  headers.set(name, value);
}

/**
 * Printable ASCII without spaces and colons (ADR-4 of NATS).
 * Limited to 1024, because the client fails on very long names.
 */
const headerName = /^[!-9;-~]{1,1024}$/;

/** Largest size of the headers that a stream stores with a message, in bytes. */
const largestStoredHeaders = 65_535;

/**
 * Throws a `GatewayError` for a message that the server never accepts. The client itself would report the first such
 * message only after it has sent those before it. It also sends headers to any server, and a server with
 * `no_header_support` ends the connection then. `isStored`: whether a stream is to store the message. Headers of the reply
 * say that no stream captures its subject: without them, nothing would reply.
 */
export function checkFits(
  { info }: NatsConnection,
  content: Uint8Array,
  headers: MsgHdrs | undefined,
  isStored = false,
): void {
  const largest = info?.max_payload ?? Number.POSITIVE_INFINITY;
  if ((isStored || headers !== undefined) && info !== undefined && info.headers !== true)
    throw new GatewayError(502, "The NATS server does not support headers");
  const beside = headers === undefined ? 0 : sizeOf(headers);
  if (isStored && beside > largestStoredHeaders)
    throw unfitSize("The headers of the message are larger than JetStream can store");
  if (content.length + beside > largest)
    throw unfitSize(`The message is larger than the ${largest} bytes that the NATS server accepts`);
}

/** Returns the size of headers in bytes: `NATS/1.0`, a line for each value, and an empty line. */
function sizeOf(headers: MsgHdrs): number {
  let size = 12;
  for (const [name, values] of headers) {
    for (const value of values) size += name.length + Buffer.byteLength(value) + 4;
  }
  return size;
}
