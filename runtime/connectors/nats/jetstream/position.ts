import type { Msg } from "@nats-io/transport-node";

/** What the server says about one delivery of a message. Numbers of 64 bits stay text. */
export interface DeliveryPosition {
  /** Empty where the server belongs to none. */
  readonly domain: string;
  readonly stream: string;
  readonly delivered: string;
  readonly streamSequence: number;
  readonly consumerSequence: string;
  readonly timestampNanos: string;
  readonly pending: number;
}

/**
 * Reads the address that acknowledgements go to; `undefined` where the message is none of JetStream's.
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`; newer
 * servers put a domain and an account before the stream, and a token of their own at the end.
 */
export function positionOf({ reply = "" }: Msg): DeliveryPosition | undefined {
  const tokens = reply.split(".");
  if (tokens[0] !== "$JS" || tokens[1] !== "ACK" || tokens.length < 9) return undefined;
  const hasDomain = tokens.length > 9;
  const start = hasDomain ? 6 : 4;
  const domain = hasDomain ? (tokens[2] ?? "") : "";
  return {
    domain: domain === "_" ? "" : domain,
    stream: tokens[start - 2] ?? "",
    delivered: tokens[start] ?? "",
    streamSequence: Number(tokens[start + 1]),
    consumerSequence: tokens[start + 2] ?? "",
    timestampNanos: tokens[start + 3] ?? "0",
    pending: Number(tokens[start + 4]),
  };
}
