// JSON that every reader takes for the same value.

/** A value that was read, or why it cannot be. */
export type ReadJson = { readonly parsed: unknown } | { readonly reason: string };

/** The value of a JSON text. Of members that an object has twice, readers take either (RFC 8259, section 4). */
export function parseStrictJson(text: string): ReadJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { reason: "is not JSON" }; // SyntaxError, or RangeError for what is nested too deep to be read
  }
  return countMembers(parsed) === countColons(text) ? { parsed } : { reason: "has a member twice" };
}

/** Members of all objects in a value that JSON was parsed to, which has each name of an object once. */
function countMembers(value: unknown): number {
  let count = 0;
  // By hand, as values may be nested deeper than the stack.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const each of inner) if (typeof each === "object") open.push(each);
  }
  return count;
}

/** Colons of a JSON text that stand in no string: one for each member. */
function countColons(text: string): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) isInString = !isInString;
    else if (!isInString) count += character === colon ? 1 : 0;
    else if (character === backslash) at += 1;
  }
  return count;
}

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c];
