import type { GatewayProcess } from "./gateway-process.ts";

/** Where the numbered messages come from. */
export interface Source {
  /** The stream's `input`. */
  readonly input: object;
  /** Whether messages have keys (`keyOf`), and those of one key are delivered in their order. */
  readonly keepsOrder?: boolean;
  /** The most messages that the gateway has taken and not confirmed at a time. */
  readonly inFlight: number;
  /** Gives the source messages that it keeps until the gateway takes them. */
  fill?(range: Range): Promise<void>;
  /** Sends messages to a gateway that runs; resolves when it has confirmed all. */
  send?(gateway: GatewayProcess, range: Range): Promise<void>;
  /**
   * Messages that the source will not give again; `undefined` where an acknowledgement is sent for each, so that
   * what was delivered and not acknowledged is in flight still.
   */
  confirmed?(): Promise<number>;
  /**
   * Gives the source one more message, which the gateway gets behind all others; where nobody can tell what is confirmed,
   * its arrival tells that everything was read again.
   */
  append?(message: string): Promise<void>;
  /**
   * Resolves when everything was given again that the source held back for a reader that is gone, and is confirmed; also
   * when that does not happen, as `remaining` then tells.
   */
  givenAgain?(): Promise<void>;
  /** What the gateway logs when the broker has taken it for dead, which a starved machine may cause at any time. */
  readonly lapse?: string;
  /** Messages that the source would give to the next reader. */
  remaining(): Promise<number>;
  /** Breaks the connections between the gateway and the source. */
  cut?(): void;
  /** Stops the source and starts it with all it holds. */
  restart?(): Promise<void>;
  /** Whether the source gives messages again after a restart, although it had been told that they are done. */
  readonly repeatsAfterRestart?: boolean;
  close?(): Promise<void>;
}

/** Numbered messages: `first` and those that follow, without `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
  /** Characters that make each message larger. */
  readonly padding?: number;
}

/** Keys of a source that has them: the numbers of one key are those with one remainder. */
const keys = 6;

/** The key of a message, where its source has keys. */
export function keyOf(number: number): number {
  return number % keys;
}

/** The same, for the document of an output. */
export const keyExpression = `\${! this.n % ${keys} }`;

/** The numbers of a range. */
export function numbersOf({ first, end }: Range): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** What a message is: it has its number in it, and fields for a mapping to look at. */
export function messageOf(number: number, { padding = 0 }: Range): string {
  return JSON.stringify({ n: number, text: `message ${number}${" ".repeat(padding)}` });
}

/** The number in a message that has come through. */
export function numberOf(message: string): number {
  const { n } = JSON.parse(message) as { n?: unknown };
  if (typeof n !== "number") throw new Error(`no message of this run: ${message}`);
  return n;
}

/** Messages in chunks of `size`. */
export function* chunksOf(range: Range, size: number): Generator<string[]> {
  for (let first = range.first; first < range.end; first += size) {
    const length = Math.min(size, range.end - first);
    yield Array.from({ length }, (_, index) => messageOf(first + index, range));
  }
}
