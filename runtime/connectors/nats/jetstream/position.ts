import type { Msg } from "@nats-io/transport-node";

/** The server's data about one delivery of a message. Some 64-bit numbers stay text. */
export interface DeliveryPosition {
  /** Empty if the server does not belong to a domain. */
  readonly domain: string;
  readonly stream: string;
  readonly delivered: string;
  readonly streamSequence: number;
  readonly consumerSequence: string;
  readonly timestampNanos: string;
  readonly pending: number;
}

const prefix = "$JS.ACK.";
/** Number of tokens in an address of the older form. */
const fewest = 9;

/**
 * Reads the address for acknowledgements; returns `undefined` if the message does not come from JetStream.
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`; newer
 * servers add a domain and an account before the stream, and a token at the end.
 */
export function positionOf({ reply = "" }: Msg): DeliveryPosition | undefined {
  if (!reply.startsWith(prefix)) return undefined;
  let tokens = 1;
  for (let dot = reply.indexOf("."); dot >= 0; dot = reply.indexOf(".", dot + 1)) tokens += 1;
  return tokens < fewest ? undefined : new AddressPosition(reply, tokens > fewest);
}

/** Extracts most tokens of an address only when they are read: most messages need only two. */
class AddressPosition implements DeliveryPosition {
  readonly streamSequence: number;
  readonly timestampNanos: string;
  readonly #address: string;
  readonly #hasDomain: boolean;

  constructor(address: string, hasDomain: boolean) {
    this.#address = address;
    this.#hasDomain = hasDomain;
    this.streamSequence = Number(this.#token(3));
    this.timestampNanos = this.#token(5);
  }

  get domain(): string {
    const domain = this.#hasDomain ? tokenAt(this.#address, 2) : "";
    return domain === "_" ? "" : domain;
  }

  get stream(): string {
    return this.#token(0);
  }

  get delivered(): string {
    return this.#token(2);
  }

  get consumerSequence(): string {
    return this.#token(4);
  }

  get pending(): number {
    return Number(this.#token(6));
  }

  /** Returns a token by its place, counted from the stream. */
  #token(place: number): string {
    return tokenAt(this.#address, place + (this.#hasDomain ? 4 : 2));
  }
}

function tokenAt(address: string, place: number): string {
  let start = 0;
  for (let token = 0; token < place; token += 1) start = address.indexOf(".", start) + 1;
  const end = address.indexOf(".", start);
  return address.slice(start, end < 0 ? undefined : end);
}
