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

const prefix = "$JS.ACK.";
/** Tokens of an address of the older form. */
const fewest = 9;

/**
 * Reads the address that acknowledgements go to; `undefined` where the message is none of JetStream's.
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`; newer
 * servers put a domain and an account before the stream, and a token of their own at the end.
 */
export function positionOf({ reply = "" }: Msg): DeliveryPosition | undefined {
  if (!reply.startsWith(prefix)) return undefined;
  let tokens = 1;
  for (let dot = reply.indexOf("."); dot >= 0; dot = reply.indexOf(".", dot + 1)) tokens += 1;
  return tokens < fewest ? undefined : new AddressPosition(reply, tokens > fewest);
}

/** An address of which a token is cut out when something reads it: most messages need two. */
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

  /** By its place from the stream on. */
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
