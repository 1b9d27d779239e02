// Parses JSON that every reader takes for the same value.

/** The parsed value, or the reason why the text is refused. */
export type ReadJson = { readonly parsed: unknown } | { readonly reason: string };

/** Parses JSON. Refuses objects with repeated members, of which readers use different ones (RFC 8259, section 4). */
export function parseStrictJson(text: string): ReadJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { reason: "is not JSON" }; // SyntaxError, or RangeError if it is nested too deeply
  }
  return hasMembers(text, countMembers(parsed)) ? { parsed } : { reason: "has a member twice" };
}

/** Whether a text has as many members as its value; repeated members make the value have fewer. */
function hasMembers(text: string, members: number): boolean {
  // The likely colons include those of all members and almost never others: try them first.
  return countLikelyColons(text) === members || countColons(text) === members;
}

/** Counts colons after a quote or whitespace: those of members, and some inside strings. */
function countLikelyColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === quote || before <= space) count += 1;
  }
  return count;
}

/** Counts the members of all objects in a parsed value, which has each name once per object. */
function countMembers(value: unknown): number {
  let count = 0;
  // With a stack of its own, as values may nest deeper than the call stack; without lists of members, which cost more
  // than counting.
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const inner of next) if (typeof inner === "object") open.push(inner);
    } else if (isCompound(next)) {
      for (const name in next) {
        count += 1;
        const inner = next[name];
        if (typeof inner === "object") open.push(inner);
      }
    }
  }
  return count;
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Counts the colons outside of strings: one for each member. */
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

const [space, quote, colon, backslash] = [0x20, 0x22, 0x3a, 0x5c];
