// Parses the paths of requests, in the one way that routing, listen paths and the proxy share.

/** A path as sent, and its segments decoded: `/a%20b/` has `["a%20b", ""]` and `["a b", ""]`. */
export interface RequestPath {
  readonly raw: readonly string[];
  readonly segments: readonly string[];
}

/**
 * A dot segment, also between encoded slashes and with parameters (`..;a`, which servers that ignore parameters read
 * as a dot segment), a backslash or a control character, plain or encoded.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const unsafeSegment = /(?:^|\/)\.{1,2}(?:[/;]|$)|[\\\u0000-\u001f\u007f]/;

/**
 * Parses a path; `undefined` if servers behind the gateway might read it as another path than the gateway does: dot
 * segments, backslashes, control characters (even if encoded twice), broken escapes. Empty segments stay, and an
 * encoded slash stays inside its segment, so that neither can reach a route that the path does not match literally.
 */
export function parsePath(path: string): RequestPath | undefined {
  if (!path.startsWith("/")) return undefined;
  const raw = path.slice(1).split("/");
  const segments = path.includes("%") ? raw.map(decodeSegment) : raw;
  const decoded = segments.filter((segment) => segment !== undefined);
  if (decoded.length < raw.length || decoded.some(isUnsafe)) return undefined;
  return { raw, segments: decoded };
}

/** The most times that a segment may be encoded, one escape within the other. */
const mostDecodings = 4;

/**
 * Returns a segment as servers read it that decode until nothing is left to decode; `undefined` if that takes more than
 * `mostDecodings` steps. Escapes that stand for no character stay.
 */
export function decodeFully(segment: string): string | undefined {
  let text = segment;
  for (let count = 0; count <= mostDecodings; count += 1) {
    // Decodes `%252525` to `%` in one step, so that the work depends only on the length.
    const decoded = text.replaceAll(/%(?:25)+(?=[\da-f]{2})/gi, "%").replaceAll(escapes, decodeRun);
    if (decoded === text) return text;
    text = decoded;
  }
  return undefined;
}

const escapes = /(?:%[\da-f]{2})+/gi;

function decodeRun(run: string): string {
  return decodeSegment(run) ?? run;
}

function isUnsafe(segment: string): boolean {
  if (unsafeSegment.test(segment)) return true;
  if (!segment.includes("%")) return false;
  const whole = decodeFully(segment);
  return whole === undefined || unsafeSegment.test(whole);
}

/** Returns the path without its first `count` segments; `/` if nothing is left. */
export function dropSegments(path: RequestPath, count: number): RequestPath {
  if (path.segments.length <= count) return { raw: [""], segments: [""] };
  return { raw: path.raw.slice(count), segments: path.segments.slice(count) };
}

/** Returns the path without the segment at `index`. */
export function withoutSegment({ raw, segments }: RequestPath, index: number): RequestPath {
  if (segments.length <= 1) return { raw: [""], segments: [""] };
  return { raw: raw.toSpliced(index, 1), segments: segments.toSpliced(index, 1) };
}

/** Returns the path as text, as it was sent. */
export function printPath(path: RequestPath): string {
  return `/${path.raw.join("/")}`;
}

/** Decodes a segment; `undefined` if it has a broken escape. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // the only thing it throws is URIError, for a broken escape
  }
}
