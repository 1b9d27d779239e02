import type { GatewayProcess } from "./gateway-process.ts";

/** Where the numbered messages come from. */
export interface Source {
  /** The stream's `input`. */
  readonly input: object;
  /** The most messages that the gateway has taken and not confirmed at a time. */
  readonly inFlight: number;
  /** Gives the source the messages 0 to `total`; before the gateway runs, so that faults always meet traffic. */
  fill?(total: number): Promise<void>;
  /** Sends the messages 0 to `total` to a gateway that runs; resolves when it has confirmed all. */
  send?(gateway: GatewayProcess, total: number): Promise<void>;
  /**
   * Messages that the source will not give again; `undefined` where an acknowledgement is sent for each, so that
   * what was delivered and not acknowledged is in flight still.
   */
  confirmed?(): Promise<number>;
  /** Messages that the source would give to the next reader. */
  remaining(): Promise<number>;
  /** Breaks the connections between the gateway and the source. */
  cut?(): void;
  /** Stops the source and starts it with all it holds. */
  restart?(): Promise<void>;
  close?(): Promise<void>;
}

/** What a message is: it has its number in it, and fields for a mapping to look at. */
export function messageOf(number: number): string {
  return JSON.stringify({ n: number, text: `message ${number}` });
}

/** The number in a message that has come through. */
export function numberOf(message: string): number {
  const { n } = JSON.parse(message) as { n?: unknown };
  if (typeof n !== "number") throw new Error(`no message of this run: ${message}`);
  return n;
}

/** 0 to `total` in chunks of messages. */
export function* chunksOf(total: number, size: number): Generator<string[]> {
  for (let first = 0; first < total; first += size) {
    const length = Math.min(size, total - first);
    yield Array.from({ length }, (_, index) => messageOf(first + index));
  }
}
