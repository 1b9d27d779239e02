// Where one JSON document ends and the next begins.

const space: ReadonlySet<number> = /* @__PURE__ */ new Set([0x20, 0x09, 0x0a, 0x0d]);
const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = /* @__PURE__ */ new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = /* @__PURE__ */ new Set([0x7d, 0x5d]);

/**
 * The bytes of each document: an object or array up to what closes it, a text, or whatever else stands up to the
 * next space or beginning. Whether each of them is JSON is for its reader to say.
 */
export function splitDocuments(bytes: Uint8Array): readonly Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (let at = afterSpace(bytes, 0); at < bytes.length; at = afterSpace(bytes, at)) {
    const end = endOfDocument(bytes, at);
    documents.push(bytes.subarray(at, end));
    at = end;
  }
  return documents;
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (space.has(bytes[at] ?? -1)) at++;
  return at;
}

function endOfDocument(bytes: Uint8Array, start: number): number {
  const first = bytes[start] ?? 0;
  if (first === quote) return afterText(bytes, start);
  if (!opening.has(first)) return endOfWord(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = afterText(bytes, at) - 1;
    else if (opening.has(byte)) depth++;
    else if (closing.has(byte) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function afterText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
}

/** At least one byte, so that what begins no document is one that no reader takes. */
function endOfWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote || space.has(byte) || opening.has(byte)) break;
  }
  return at;
}
