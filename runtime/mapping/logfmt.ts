// Parses logfmt: `key=value key="quoted value" flag`.

import type { Value } from "../message/value.ts";
import { textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  '"': '"',
  "\\": "\\",
  "/": "/",
};

/** `.parse_logfmt()`: returns an object of texts. A key without `=` is true, and a `=` without a key is ignored. */
export function parseLogfmt(target: Value, from: string): Value {
  const text = textTarget(target, from);
  const entries: [string, Value][] = [];
  const pair = /[ \t=]*([^ \t=]+)(=?)/y;
  const plain = /[^ \t]*/y;
  for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
    const [, key = "", equals] = found;
    if (equals === "") {
      entries.push([key, true]);
      continue;
    }
    if (text[pair.lastIndex] === '"') {
      const quoted = readQuoted(text, pair.lastIndex + 1);
      if (quoted === undefined) throw failedOn(from, `logfmt: unterminated quoted value for key "${key}"`);
      entries.push([key, quoted.value]);
      pair.lastIndex = quoted.end;
    } else {
      plain.lastIndex = pair.lastIndex;
      const value = plain.exec(text)?.[0] ?? "";
      entries.push([key, value]);
      pair.lastIndex += value.length;
    }
  }
  return Object.fromEntries(entries);
}

function readQuoted(
  text: string,
  start: number,
): { readonly value: string; readonly end: number } | undefined {
  let value = "";
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1 };
    if (character !== "\\" || at + 1 === text.length) {
      value += character;
      continue;
    }
    const escaped = text.charAt(++at);
    value += escapes[escaped] ?? `\\${escaped}`;
  }
  return undefined;
}
