// What servers might make of a path that the gateway takes as it is spelled.

import { decodeFully, decodeSegment } from "../request-path.ts";

/** Segments as they were sent. */
type Raw = readonly string[];

const slash = /%2f|\//i;
const encodedPercent = /%25/;

/**
 * The readings of a path, each as segments as sent: as it is, and as servers read it that decode again and again, divide segments at
 * encoded slashes, leave out parameters of segments (RFC 3986, section 3.3) or the extension of the last one. Empty segments
 * are left out of all.
 */
export function readingsOf(raw: Raw): readonly Raw[] {
  const text = raw.join("/");
  let all: Raw[] = [raw.filter(isNotEmpty)];
  const add = (read: (reading: Raw) => Raw) => {
    all = [...all, ...all.map((reading) => read(reading).filter(isNotEmpty))];
  };
  if (encodedPercent.test(text)) add((reading) => reading.map((segment) => decodeFully(segment) ?? segment));
  if (all.some((reading) => reading.some((each) => slash.test(each)))) {
    add((reading) => reading.flatMap((segment) => segment.split(slash)));
  }
  if (all.some((reading) => reading.some((each) => findParameters(each) >= 0))) {
    add((reading) => reading.map(withoutParameters));
  }
  for (const read of [withoutExtension, withoutExtensions]) {
    if (all.some((reading) => read(reading) !== reading)) add(read);
  }
  return all;
}

/** A segment as sent, decoded. An escape that stands for no character stays. */
export function readSegment(sent: string): string {
  return sent.includes("%") ? (decodeSegment(sent) ?? sent) : sent;
}

/** A decoded segment as servers compare it that care neither for case nor for forms of letters. */
export function foldCase(segment: string): string {
  // Capitals first: some letters have a capital of ASCII, but are no small letter of one.
  return segment.normalize("NFKC").toUpperCase().toLowerCase();
}

/** The same for servers that do not care for dots and blanks at its end either. */
export function foldSegment(segment: string): string {
  let end = segment.length;
  while (end > 0 && (segment[end - 1] === "." || segment[end - 1] === " ")) end -= 1;
  return foldCase(segment.slice(0, end));
}

function findParameters(segment: string): number {
  return segment.search(/;|%3b/i);
}

function withoutParameters(segment: string): string {
  const at = findParameters(segment);
  return at < 0 ? segment : segment.slice(0, at);
}

/** `/items.json` as `/items`, and so is `/items/.json`. */
function withoutExtension(reading: Raw): Raw {
  return cutLast(reading, (last) => last.lastIndexOf("."));
}

/** `/items.tar.gz` as `/items`. */
function withoutExtensions(reading: Raw): Raw {
  return cutLast(reading, (last) => last.indexOf("."));
}

function cutLast(reading: Raw, find: (last: string) => number): Raw {
  const last = (reading.at(-1) ?? "").replaceAll(/%2e/gi, ".");
  const at = find(last);
  return at < 0 ? reading : [...reading.slice(0, -1), last.slice(0, at)];
}

function isNotEmpty(segment: string): boolean {
  return segment !== "";
}
