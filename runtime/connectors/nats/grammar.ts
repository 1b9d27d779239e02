// What NATS can carry: subjects, keys, headers, and how much of them.

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

/** Subjects to publish to: those of the server only where the document begins `subject` so. A blank or a line end in one would begin another line of the protocol. */
export function subjectCheck(subject: Text): CheckText {
  return checkText("subject", formOf(subject, natsSubject, natsUnreservedSubject));
}

/** Keys of buckets: those that other clients find again. */
export function keyCheck(): CheckText {
  return checkText("key", natsKey);
}

/** Sets a header. Throws a `GatewayError` where a name or a value would be read as more than a header. */
export function setHeader(headers: MsgHdrs, name: string, value: string): void {
  if (!headerName.test(name)) throw unfit("A name of metadata is not the name of a NATS header");
  if (!line.accepts(value)) throw unfitText(`headers.${name}`, line.expected);
  headers.set(name, value);
}

/** Printable ASCII without blanks and colons (ADR-4 of NATS); the client fails on names of many thousand characters. */
const headerName = /^[!-9;-~]{1,1024}$/;

/**
 * Throws a `GatewayError` for a message that the server takes from no one. The client would say so of the first only
 * after those before it were sent; headers it sends to any server, and one with `no_header_support` ends the connection.
 */
export function checkFits(
  { info }: NatsConnection,
  content: Uint8Array,
  headers: MsgHdrs | undefined,
  largestHeaders = Number.POSITIVE_INFINITY,
): void {
  const largest = info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (headers !== undefined && info !== undefined && info.headers !== true) {
    throw new GatewayError(502, "The NATS server takes no headers");
  }
  const beside = headers === undefined ? 0 : sizeOf(headers);
  if (beside > largestHeaders) throw unfitSize("The headers of the message are larger than JetStream stores");
  if (content.length + beside > largest)
    throw unfitSize(`The message is larger than the ${largest} bytes that the NATS server takes`);
}

/** `NATS/1.0`, a line for each value, and an empty one. */
function sizeOf(headers: MsgHdrs): number {
  let size = 12;
  for (const [name, values] of headers) {
    for (const value of values) size += name.length + Buffer.byteLength(value) + 4;
  }
  return size;
}
