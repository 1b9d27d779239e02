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
  return hasMembers(text, countMembers(parsed)) ? { parsed } : { reason: "has a member twice" };
}

/** Whether a text has as many members as its value, which has at most as many. */
function hasMembers(text: string, members: number): boolean {
  // The colons of all members are among those that are looked for first, and hardly ever another one.
  return countLikelyColons(text) === members || countColons(text) === members;
}

/** Colons behind a quote or a blank: those of members, and such as begin a string or follow a blank of one. */
function countLikelyColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === quote || before <= space) count += 1;
  }
  return count;
}

/** Members of all objects in a value that JSON was parsed to, which has each name of an object once. */
function countMembers(value: unknown): number {
  let count = 0;
  // By hand, as values may be nested deeper than the stack; without lists of members, which cost more than counting them.
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

const [space, quote, colon, backslash] = [0x20, 0x22, 0x3a, 0x5c];
