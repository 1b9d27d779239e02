import { RE2JS } from "re2js";
import type { Scanner } from "../component/scanner.ts";
import type { Message } from "../message/message.ts";
import { Pieces } from "../process/memory/body-budget.ts";
import { decodeUtf8, utf8Length } from "../text/utf8.ts";
import { piece, unfitSource } from "./gathered.ts";
import { type ReMatchScannerOptions, reMatchScannerDefaults } from "./generated/re-match-scanner-options.ts";

/**
 * Bytes searched for each byte received. Without this limit, each small chunk would cause another search of all bytes
 * held.
 */
const searchedPerByte = 8;

/**
 * Cuts before each match of a pattern, so that a message begins with a match. A message is emitted when the next match
 * or the end arrives. If chunks are much smaller than messages, it is emitted only after enough bytes have arrived for
 * another search.
 */
export function reMatchScanner(options: ReMatchScannerOptions): Scanner {
  const { pattern, max_buffer_size: limit } = { ...reMatchScannerDefaults, ...options };
  const compiled = RE2JS.compile(pattern);
  return {
    async *scan({ bytes, keep }) {
      const pieces = new Pieces();
      let searchable = 0;
      for await (const chunk of bytes) {
        // Add at most `limit` bytes at a time: each search starts with the bytes already held.
        for (let at = 0; at < chunk.length; at += limit) {
          const part = chunk.subarray(at, at + limit);
          pieces.add(part);
          searchable += part.length * searchedPerByte;
          if (pieces.length > searchable && pieces.length <= limit) continue;
          searchable = Math.max(0, searchable - pieces.length);
          const held = pieces.takeAll();
          const starts = matchesIn(compiled, held, false);
          const rest = yield* cut(held, starts.length > 1 ? starts : []);
          pieces.add(rest);
          if (rest.length > limit) throw unfitSource(`A message is longer than ${limit} bytes`);
        }
        await keep?.(pieces.length);
      }
      const held = pieces.takeAll();
      const last = yield* cut(held, matchesIn(compiled, held, true));
      if (last.length > 0) yield piece(last);
    },
  };
}

/** Yields a message up to each of the places. Returns the bytes after the last place. */
function* cut(bytes: Uint8Array, places: readonly number[]): Generator<Message, Uint8Array> {
  let done = 0;
  for (const place of places) {
    if (place > done) yield piece(bytes.subarray(done, place));
    done = place;
  }
  return bytes.subarray(done);
}

/**
 * Returns the places of the matches, in bytes. As in the reference engine, an empty match directly after another one does
 * not count. Unless the bytes are whole, a character that is incomplete at their end and an empty match there do not
 * count: what follows may change them.
 */
function matchesIn(pattern: RE2JS, bytes: Uint8Array, isWhole: boolean): readonly number[] {
  const text = decodeUtf8(isWhole ? bytes : bytes.subarray(0, endOfCharacters(bytes)));
  const isAscii = text.length === bytes.length;
  const found: number[] = [];
  const matcher = pattern.matcher(text);
  let before = 0;
  let offset = 0;
  let end = -1;
  while (matcher.find()) {
    const start = matcher.start();
    const isEmpty = start === matcher.end();
    if (isEmpty && (start === end || (!isWhole && start === text.length))) continue;
    end = matcher.end();
    offset += isAscii ? start - before : utf8Length(text.slice(before, start));
    before = start;
    found.push(offset);
  }
  return found;
}

function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
