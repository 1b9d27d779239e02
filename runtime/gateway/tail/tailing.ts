// Samples streams on request. A passing message is only recorded; it is described later, when the samples are
// collected, so that no stream waits for that. Values that viewers must not see are recognised by their names.

import { parseJsonText, printJson } from "../../message/json.ts";
import type { Batch, Message } from "../../message/message.ts";
import { metadataText } from "../../message/metadata.ts";
import type { ObjectValue, Value } from "../../message/value.ts";
import type { Tap } from "../../stream/observer.ts";
import { secretWords, shortSecretWords } from "../../text/secret-names.ts";
import type { Sample, TailedStream, TailRequest } from "./sample.ts";

/** The replacement of a secret. */
const replacement = "•••";

/** Names that are secrets as a whole. In other names the same letters are parts of other words. */
const whole: ReadonlySet<string> = new Set([
  ...shortSecretWords,
  ...["auth", "cvc", "cvv", "iban", "pin", "ssn"],
]);

/** The deepest level of nested values; deeper values are hidden. */
const deepest = 64;

/** Returns a function that says whether a name may be that of a secret; `others`: further parts of secret names. */
function secretTest(others: readonly string[]): (name: string) => boolean {
  const parts = [...secretWords, "cardnumber", ...others.map(plain)].filter((part) => part !== "");
  return (name) => {
    const own = plain(name);
    return whole.has(own) || parts.some((part) => own.includes(part));
  };
}

/** Returns a document in which the values of secret names are replaced; the same document if it contains none. */
function redactValue(value: Value, isSecret: (name: string) => boolean, depth = 0): Value {
  if (typeof value !== "object" || value === null) return value;
  const inside = (each: Value) => redactValue(each, isSecret, depth + 1);
  if (Array.isArray(value)) {
    if (depth >= deepest) return replacement;
    const items = value.map(inside);
    return items.every((each, index) => each === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  if (depth >= deepest) return replacement;
  const before = Object.entries(value);
  const after = before.map(([name, each]) => [name, isSecret(name) ? replacement : inside(each)] as const);
  return after.every(([, each], index) => each === before[index]?.[1]) ? value : Object.fromEntries(after);
}

/** Whether a value is a plain object: numbers with their text, times and bytes are objects of classes. */
function isObject(value: Value): value is ObjectValue {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The most messages of a stream that are kept between two collections, which are a second apart. */
const most = 20;

interface Seen {
  readonly message: Message;
  readonly at: number;
  readonly isDeadLetter: boolean;
}

/** One sampled stream. */
interface Tailed {
  readonly api: string;
  readonly stream: string;
  tap: Tap | undefined;
  seen: Seen[];
  missed: number;
  readonly listener: NonNullable<Tap["listener"]>;
}

/** A process whose streams can be sampled. */
export interface TailedProcess {
  /** Samples exactly these streams from now on; `undefined`: none. */
  want(request: TailRequest | undefined): void;
  /** Returns the samples since the last call, without streams that had no messages. */
  drain(): readonly TailedStream[];
}

/** Samples the streams of one gateway as its management service requests. */
export class Tailing implements TailedProcess {
  readonly #find: (api: string, stream: string) => Tap | undefined;
  #tailed = new Map<string, Tailed>();
  #isSecret = secretTest([]);

  /** `find`: returns the tap of a running stream. */
  constructor(find: (api: string, stream: string) => Tap | undefined) {
    this.#find = find;
  }

  want(request: TailRequest | undefined): void {
    const before = this.#tailed;
    this.#isSecret = secretTest(request?.redact ?? []);
    this.#tailed = new Map(
      (request?.streams ?? []).map(({ api, stream }) => {
        const key = JSON.stringify([api, stream]);
        return [key, before.get(key) ?? tailed(api, stream)];
      }),
    );
    for (const [key, each] of before) if (!this.#tailed.has(key)) detach(each);
    this.#attach();
  }

  drain(): readonly TailedStream[] {
    this.#attach();
    return [...this.#tailed.values()].flatMap((each) => {
      const { api, stream, seen, missed } = each;
      if (seen.length === 0 && missed === 0) return [];
      [each.seen, each.missed] = [[], 0];
      const messages = seen.flatMap((one) => describe(one, this.#isSecret));
      return [{ api, stream, missed: missed + seen.length - messages.length, messages }];
    });
  }

  /** Attaches to the current streams: a deployment may have replaced a stream under the same name. */
  #attach(): void {
    for (const each of this.#tailed.values()) {
      const tap = this.#find(each.api, each.stream);
      if (tap === each.tap) continue;
      detach(each);
      each.tap = tap;
      if (tap !== undefined) tap.listener = each.listener;
    }
  }
}

/** Combines the samples of several processes by stream. */
export function joinSeen(seen: readonly TailedStream[]): readonly TailedStream[] {
  const byStream = Map.groupBy(seen, ({ api, stream }) => JSON.stringify([api, stream]));
  return [...byStream.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const messages = all.flatMap((each) => each.messages);
    const missed = all.reduce((sum, each) => sum + each.missed, 0) + Math.max(0, messages.length - most);
    return [{ ...first, missed, messages: messages.slice(0, most) }];
  });
}

function tailed(api: string, stream: string): Tailed {
  const own: Tailed = {
    api,
    stream,
    tap: undefined,
    seen: [],
    missed: 0,
    listener: (batch, isDeadLetter) => note(own, batch, isDeadLetter),
  };
  return own;
}

/** Describes a message. Skips messages that cannot be printed: the output had the same problem and reported it. */
function describe({ message, ...when }: Seen, isSecret: (name: string) => boolean): readonly Sample[] {
  try {
    return [describeMessage(message, when, isSecret)];
  } catch {
    return [];
  }
}

function note(tailed: Tailed, batch: Batch, isDeadLetter: boolean): void {
  const room = most - tailed.seen.length;
  const at = Date.now();
  for (const message of batch.slice(0, room)) tailed.seen.push({ message, at, isDeadLetter });
  tailed.missed += Math.max(0, batch.length - room);
}

function detach({ tap, listener }: Tailed): void {
  if (tap?.listener === listener) tap.listener = undefined;
}

/** The largest message in bytes that is parsed; of a larger one nothing is shown, as its secrets would not be found. */
const largest = 256 * 1024;
/** The most characters of a message that are shown. */
const longest = 4096;
/** The most characters of a metadata value that are shown, and the most values. */
const longestMetadata = 256;
const mostMetadata = 50;

/** Describes a message that was written at `at`, in milliseconds since 1970. */
function describeMessage(
  message: Message,
  { at, isDeadLetter }: { readonly at: number; readonly isDeadLetter: boolean },
  isSecret: (name: string) => boolean,
): Sample {
  const bytes = message.bytes();
  const text = bytes.length > largest ? "" : textOf(message, bytes, isSecret);
  const content = storable(text.slice(0, longest));
  const isCut = text.length > longest || (text === "" && bytes.length > 0);
  const entries = [...message.metadata].slice(0, mostMetadata).map(([name, value]) => {
    const shown = isSecret(name) ? replacement : readable(metadataText(redactValue(value, isSecret)));
    return [storable(name.slice(0, longestMetadata)), storable(shown.slice(0, longestMetadata))];
  });
  const metadata: Readonly<Record<string, string>> = Object.fromEntries(entries);
  return { at: new Date(at).toISOString(), content, isCut, size: bytes.length, metadata, isDeadLetter };
}

/** Returns JSON, or lines of JSON, with secrets replaced; other text unchanged. */
function textOf(message: Message, bytes: Uint8Array, isSecret: (name: string) => boolean): string {
  const document = message.document();
  if (document !== undefined) return textOfDocument(document, readable(bytes), isSecret);
  const text = readable(bytes);
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => redactLine(line, isSecret))
    .join("\n");
}

function redactLine(line: string, isSecret: (name: string) => boolean): string {
  const first = line.trimStart().charAt(0);
  const parsed = first === "{" || first === "[" ? parseJsonText(line) : undefined;
  return parsed !== undefined && "value" in parsed ? textOfDocument(parsed.value, line, isSecret) : line;
}

/** `written`: the text that the document was parsed from. */
function textOfDocument(document: Value, written: string, isSecret: (name: string) => boolean): string {
  const redacted = redactValue(document, isSecret);
  return redacted === document ? written : printJson(redacted);
}

/** Returns the text; empty if it is not UTF-8. */
function readable(text: string | Uint8Array): string {
  if (typeof text === "string") return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return "";
  }
}

/** Replaces lone surrogates and the null character, which databases refuse, with U+FFFD. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
