// Texts in other texts, found in time by the sum of both lengths. The engine's own search takes up to their product: seconds for
// a part such as `a…aba…a` of 128 kB in as many `a`. It is used for short parts, where the product is harmless.

/** Characters of the longest part that is left to the engine. */
const shortPart = 64;

/** Where `part` begins in `text` first; -1 where it does not occur. As `String.prototype.indexOf`. */
export function findText(text: string, part: string): number {
  if (part.length <= shortPart) return text.indexOf(part);
  const first = placesOf(text, part, part.length).next();
  return first.done === true ? -1 : first.value;
}

/** The pieces of `text` between occurrences of `separator`, which is not empty. As `String.prototype.split`. */
export function splitText(text: string, separator: string): string[] {
  if (separator.length <= shortPart) return text.split(separator);
  const pieces: string[] = [];
  let begin = 0;
  for (const place of placesOf(text, separator, separator.length)) {
    pieces.push(text.slice(begin, place));
    begin = place + separator.length;
  }
  pieces.push(text.slice(begin));
  return pieces;
}

/** Every place at which `part`, which is not empty, begins in `text`, also where occurrences overlap. */
export function* overlappingPlaces(text: string, part: string): Generator<number, void> {
  if (part.length > shortPart) return yield* placesOf(text, part, 1);
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

/**
 * The algorithm of Knuth, Morris and Pratt. An occurrence begins at least `distance` characters behind the one before: 1, or the
 * length of the part.
 */
function* placesOf(text: string, part: string, distance: number): Generator<number, void> {
  if (part.length > text.length) return;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched < part.length) continue;
    yield at + 1 - part.length;
    matched = distance === 1 ? (borders[matched - 1] ?? 0) : 0;
  }
}

/** For each prefix of `part`, the length of the longest shorter prefix that it ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
