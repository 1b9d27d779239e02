import type { GatewayProcess } from "./gateway-process.ts";

/** Where the numbered messages come from. */
export interface Source {
  /** The stream's `input`. */
  readonly input: object;
  /** Whether messages have keys (`keyOf`), and those of one key are delivered in their order. */
  readonly keepsOrder?: boolean;
  /** The most messages that the gateway has taken but not confirmed at any time. */
  readonly inFlight: number;
  /** Adds messages that the source keeps until the gateway takes them. */
  fill?(range: Range): Promise<void>;
  /** Sends messages to a running gateway; resolves when it has confirmed all of them. */
  send?(gateway: GatewayProcess, range: Range): Promise<void>;
  /**
   * Returns the number of messages that the source will not deliver again. Absent if each message is acknowledged
   * separately and the source soon reads that: a message that was delivered but not acknowledged counts as in flight.
   */
  confirmed?(): Promise<number>;
  /**
   * Adds one more message, which the gateway receives after all others. Its arrival shows that everything was read
   * again. The gateway is stopped then, whether the source has read that the messages are confirmed or not.
   */
  append?(message: string): Promise<void>;
  /**
   * Resolves when everything that the source held back for a disconnected reader was delivered again and confirmed.
   * Also resolves if that does not happen: `remaining` then reports it.
   */
  givenAgain?(): Promise<void>;
  /**
   * The log text of the gateway when the broker has taken it for dead, which an overloaded machine can cause at any
   * time.
   */
  readonly lapse?: string;
  /** Returns the number of messages that the source would deliver to the next reader. */
  remaining(): Promise<number>;
  /** Returns what the source knows about its reader, for failure reports. */
  state?(): Promise<object>;
  /** Breaks the connections between the gateway and the source. */
  cut?(): void;
  /** Restarts the source with all its data. */
  restart?(): Promise<void>;
  /** Whether the source delivers confirmed messages again after a restart. */
  readonly repeatsAfterRestart?: boolean;
  close?(): Promise<void>;
}

/** Numbered messages from `first` (inclusive) to `end` (exclusive). */
export interface Range {
  readonly first: number;
  readonly end: number;
  /** The number of characters that are added to each message. */
  readonly padding?: number;
}

/** The number of keys. The numbers of one key have the same remainder. */
const keys = 6;

/** Returns the key of a message, for sources with keys. */
export function keyOf(number: number): number {
  return number % keys;
}

/** The same key as an expression for the document of an output. */
export const keyExpression = `\${! this.n % ${keys} }`;

/** Returns the numbers of a range. */
export function numbersOf({ first, end }: Range): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** Returns a message that contains its number, and fields for a mapping to read. */
export function messageOf(number: number, { padding = 0 }: Range): string {
  return JSON.stringify({ n: number, text: `message ${number}${" ".repeat(padding)}` });
}

/** Returns the number in a message that has arrived. */
export function numberOf(message: string): number {
  const { n } = JSON.parse(message) as { n?: unknown };
  if (typeof n !== "number") throw new Error(`no message of this run: ${message}`);
  return n;
}

/** Yields the messages in chunks of `size`. */
export function* chunksOf(range: Range, size: number): Generator<string[]> {
  for (let first = range.first; first < range.end; first += size) {
    const length = Math.min(size, range.end - first);
    yield Array.from({ length }, (_, index) => messageOf(first + index, range));
  }
}
