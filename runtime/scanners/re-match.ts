import { RE2JS } from "re2js";
import type { Scanner } from "../component/scanner.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { piece, unfitSource } from "./gathered.ts";
import { type ReMatchScannerOptions, reMatchScannerDefaults } from "./generated/re-match-scanner-options.ts";

/**
 * Cuts in front of each match of a pattern, so that a message begins with one. A message is given once the next match, or
 * the end, is there.
 */
export function reMatchScanner(options: ReMatchScannerOptions): Scanner {
  const { pattern, max_buffer_size: limit } = { ...reMatchScannerDefaults, ...options };
  const compiled = RE2JS.compile(pattern);
  return {
    async *scan({ bytes, keep }) {
      let held: Uint8Array = new Uint8Array();
      for await (const chunk of bytes) {
        // A piece of the buffer's size at a time: a search begins with what is held.
        for (let at = 0; at < chunk.length; at += limit) {
          held = Buffer.concat([held, chunk.subarray(at, at + limit)]);
          const starts = matchesIn(compiled, held, false);
          const ends = starts.slice(0, -1).map((_, index) => starts[index + 1] ?? 0);
          let done = 0;
          for (const end of [...(starts.length > 1 && starts[0] !== 0 ? [starts[0] ?? 0] : []), ...ends]) {
            yield piece(held.subarray(done, end));
            done = end;
          }
          held = held.subarray(done);
          if (held.length > limit) throw unfitSource(`A message is longer than ${limit} bytes`);
        }
        await keep?.(held.length);
      }
      const [first] = matchesIn(compiled, held, true);
      if (first !== undefined && first > 0) {
        yield piece(held.subarray(0, first));
        held = held.subarray(first);
      }
      if (held.length > 0) yield piece(held);
    },
  };
}

/** The places of the matches, in bytes. A character that is cut off at the end is no part of the text yet. */
function matchesIn(pattern: RE2JS, bytes: Uint8Array, isWhole: boolean): readonly number[] {
  const text = decodeUtf8(isWhole ? bytes : bytes.subarray(0, endOfCharacters(bytes)));
  const isAscii = text.length === bytes.length;
  const found: number[] = [];
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    found.push(isAscii ? start : encodeUtf8(text.slice(0, start)).length);
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
