// Values that viewers of messages should not see, recognised by their names.

import type { ObjectValue, Value } from "../../message/value.ts";

/** What stands in the place of a secret. */
export const replacement = "•••";

/** Parts of names that are looked for, without case, blanks and signs. */
const secretNames: readonly string[] = [
  ...[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "authorization",
    "cookie",
    "credential",
  ],
  ...["privatekey", "accesskey", "sessionid", "signature", "cardnumber", "cvv", "cvc", "iban", "ssn", "pin"],
];

/** Whole names of those that are parts of other words. */
const whole: ReadonlySet<string> = new Set(["cvv", "cvc", "iban", "ssn", "pin"]);

/** Objects in one another that are gone into; what lies deeper is not shown at all. */
const deepest = 64;

/** Says whether a name looks like that of a secret; `others` are parts of names besides the known ones. */
export function secretTest(others: readonly string[]): (name: string) => boolean {
  const parts = [...secretNames.filter((name) => !whole.has(name)), ...others.map(plain)].filter(
    (part) => part !== "",
  );
  return (name) => {
    const own = plain(name);
    return whole.has(own) || parts.some((part) => own.includes(part));
  };
}

/** A document in which values of secret names are replaced, whatever they are; itself where there are none. */
export function redactValue(value: Value, isSecret: (name: string) => boolean, depth = 0): Value {
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

/** Numbers with a text of their own, times and bytes are objects of classes. */
function isObject(value: Value): value is ObjectValue {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
