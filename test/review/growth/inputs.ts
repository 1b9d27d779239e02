// Inputs that parsers and expressions may be slow on: one piece repeated, with something before and after it.

import type { Value } from "../../../runtime/message/value.ts";

/** Seeded random choices. */
export interface Random {
  /** Returns a whole number from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** An input of any size. */
export interface Input<Made> {
  readonly name: string;
  readonly make: (size: number) => Made;
}

/** The pieces to repeat: characters that start, end, separate or escape in grammars, and combinations of them. */
const pieces: readonly string[] = [
  ..." \t\n\r\0\"'`\\()[]{}<>,;:=&%#/|@!?*+-_.~^$019aAxbeé漢",
  ...["😀", "\u0301", "\u0085", "\u00a0", "\ufeff", "\ud800"],
  ...[
    "\r\n",
    "\n\n",
    "\n ",
    " \n",
    "\t\n",
    "\r\n ",
    "a ",
    " a",
    "a\n",
    "\\\\",
    '\\"',
    "\\n",
    "\\u0041",
    "\\x41",
  ],
  ...[
    '""',
    '"",',
    '","',
    "''",
    '"a"',
    '"a",',
    "a,",
    "a;",
    "a=b;",
    "a=b&",
    'a="b" ',
    'a=" ',
    "a=",
    "=a",
    "a:",
    ": ",
  ],
  ...[
    "%20",
    "%",
    "%2",
    "%u",
    "&amp;",
    "&#",
    "&#x41;",
    "&a",
    "&lt",
    "a&",
    "a&&",
    "..",
    "a.",
    "../",
    "./",
    "//",
    "/a",
  ],
  ...[
    "<a>",
    "</a>",
    "<a ",
    "<a/>",
    '<a b="',
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "<!",
    "<a><b>",
    "</",
    "]]",
  ],
  ...[
    "[[",
    "[1,",
    '{"a":',
    '{"a":[',
    "1,",
    "1.0,",
    "-0,",
    "1e5,",
    "1.",
    "1e",
    "1e9",
    "0x",
    "0_",
    "00",
    "1_",
    "-1",
    "+1",
  ],
  ...[
    "- ",
    "? ",
    "&a ",
    "*a ",
    "*a, ",
    "| ",
    "|\n ",
    ">\n ",
    "# ",
    "a: ",
    "a:\n",
    "- - ",
    "a: b\n",
    "!!a ",
    "{a: ",
    "'a': ",
  ],
  ...[
    "--",
    "---\n",
    "...\n",
    "\r\n--b",
    "\r\n\r\n",
    "\r\na: b",
    "data: a\n",
    "data:\n",
    "a,b\n",
    "a\tb\n",
    '"a\n',
    'a"b,',
  ],
  ...[
    "1s",
    "1m",
    "1ms",
    "1n",
    ".1h",
    "1.",
    "P1Y",
    "T1H",
    "1Y",
    "P",
    "2006",
    "2006-",
    "%Y",
    "%%",
    "%-",
    "00:",
    "Z07:00",
  ],
  ...[
    "$1",
    "${",
    "${!",
    "$$",
    "$..",
    "$.a",
    "..*",
    "[*]",
    "[?@",
    "a(",
    "(a",
    "a|",
    "(a|b)*",
    "%v",
    "%5",
    "%-0",
    "%[1]",
    "~1",
  ],
  ...[
    "MST",
    "Mon",
    "Jan ",
    "January ",
    "Sun, ",
    "UTC",
    "true",
    "null",
    "nan",
    "inf",
    "foo bar ",
    "a-b_c",
    "A B",
    "ÄÖ",
    "ё",
  ],
];

/** The texts before and after the repeated piece. */
const frames: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["a", "b"],
  ['"', '"'],
  ['{"a":"', '"}'],
  ["[", "]"],
  ["<a>", "</a>"],
  ["<a b='", "'/>"],
  ["a=", "&b"],
  ['a="', '" b'],
  ["a: ", "\nb: c"],
  ["a: |\n ", "\n"],
  ["a: '", "'"],
  ["\n", "\0"],
  ["1", "x"],
  ["-", "!"],
  ["http://", "/"],
  ["http://h/?", "#"],
  ["2020-01-02T03:04:05.", "Z"],
  ["<", ""],
  ["&", ";"],
  ["(", "]"],
];

/** Returns a random text in a frame: one piece repeated, or two that alternate or follow each other. */
export function randomText(random: Random): Input<string> {
  const [before, after] = random.pick(frames);
  const [first, second] = [random.pick(pieces), random.pick(pieces)];
  switch (random.below(3)) {
    case 0:
      return pumped(first, [before, after]);
    case 1:
      return pumped(first + second, [before, after]);
    default:
      return followed(first, second, [before, after]);
  }
}

/** Texts of a requested size whose parts all differ or are nested. */
export const texts: readonly Input<string>[] = [
  numbered("a key and a value, again", (index) => `k${index}=v${index}&`),
  numbered("a field, again", (index) => `k${index}: v${index}\n`),
  numbered("a word, again", (index) => `w${index} `),
  numbered("a member, again", (index) => `${index === 0 ? "{" : ","}"k${index}":${index}`, "}"),
  numbered("an element, again", (index) => `${index === 0 ? "[" : ","}{"k":${index}.0}`, "]"),
  numbered("a tag, again", (index) => `<k${index}>`),
  numbered("an attribute, again", (index) => `${index === 0 ? "<a" : ""} k${index}="v"`, "/>"),
  numbered("an anchor, again", (index) => `k${index}: &a${index} v\n`),
  numbered("an alias, again", (index) => `${index === 0 ? "k: &a v\n" : ""}k${index}: *a\n`),
  numbered("an anchor and its alias, again", () => "- &a v\n- *a\n"),
  numbered(
    "an anchor of the one before, again",
    (index) => `- &a${index} [${index === 0 ? "v" : `*a${index - 1}`}]\n`,
  ),
  numbered("an option, again", (index) => `${index === 0 ? "" : "|"}w${index}`),
  numbered("a cookie, again", (index) => `k${index}=v; `),
  numbered("a step of a path, again", (index) => `k${index}.`),
  numbered("another character", (index) => String.fromCharCode(0x80 + (index % 0xd700))),
  numbered(
    "a document with another character",
    (index) => (index === 0 ? '{"a":1.0,"b":"' : String.fromCharCode(0x80 + (index % 0xd700))),
    '"}',
  ),
  numbered("an indented line", (index) => `${" ".repeat(Math.min(index, 200))}k:\n`),
  nested("objects", '{"a":', "1", "}"),
  nested("arrays", "[", "", "]"),
  nested("flow mappings", "{a: ", "", "}"),
  nested("elements", "<a>", "", "</a>"),
  nested("groups", "(", "a", ")"),
  nested("repeated groups", "(", "a", ")*"),
  followed("<a>", "</b>", ["", ""]),
  followed("<a>", "<b/>", ["", ""]),
  followed("[", ",", ["", ""]),
];

/** Returns a piece repeated in a frame. */
export function pumped(piece: string, [before, after]: readonly [string, string]): Input<string> {
  return {
    name: `${JSON.stringify(before)} ${JSON.stringify(piece)}… ${JSON.stringify(after)}`,
    make: (size) => before + piece.repeat(Math.ceil(size / piece.length)) + after,
  };
}

function followed(first: string, second: string, [before, after]: readonly [string, string]): Input<string> {
  return {
    name: `${JSON.stringify(before)} ${JSON.stringify(first)}… ${JSON.stringify(second)}… ${JSON.stringify(after)}`,
    make(size) {
      const half = (piece: string) => piece.repeat(Math.ceil(size / 2 / piece.length));
      return before + half(first) + half(second) + after;
    },
  };
}

export function numbered(name: string, item: (index: number) => string, end = ""): Input<string> {
  return {
    name,
    make(size) {
      let text = "";
      for (let index = 0; text.length < size; index++) text += item(index);
      return text + end;
    },
  };
}

function nested(name: string, open: string, middle: string, close: string): Input<string> {
  return {
    name: `${name} in each other`,
    make(size) {
      const depth = Math.ceil(size / (open.length + close.length));
      return open.repeat(depth) + middle + close.repeat(depth);
    },
  };
}

/** The assumed number of characters of a list item. */
const itemSize = 16;

function list(name: string, item: (index: number, count: number) => Value): Input<Value> {
  return {
    name: `array of ${name}`,
    make(size) {
      const count = Math.ceil(size / itemSize);
      return Array.from({ length: count }, (_, index) => item(index, count));
    },
  };
}

function object(name: string, key: (index: number) => string, value: (index: number) => Value): Input<Value> {
  return {
    name: `object of ${name}`,
    make: (size) =>
      Object.fromEntries(
        Array.from({ length: Math.ceil(size / itemSize) }, (_, index) => [key(index), value(index)]),
      ),
  };
}

function deep(name: string, around: (inner: Value) => Value): Input<Value> {
  return {
    name: `${name} in each other`,
    make(size) {
      let value: Value = 1;
      // As deep as a document of 64 KiB can be if its reader limits the depth.
      for (let depth = 0; depth < Math.min(size / itemSize, 2000); depth++) value = around(value);
      return value;
    },
  };
}

/** Arrays and objects whose text has about the requested size. */
export const values: readonly Input<Value>[] = [
  list("equal numbers", () => 1),
  list("numbers that grow", (index) => index),
  list("numbers that fall", (index, count) => count - index),
  list("numbers in saws", (index) => index % 7),
  list("equal texts", () => "a"),
  list("texts", (index) => `k${index}`),
  list("empty texts", () => ""),
  list("nulls", () => null),
  list("empty arrays", () => []),
  list("pairs", (index) => [`k${index}`, index]),
  list("equal objects", () => ({ a: 1 })),
  list("objects", (index) => ({ a: index, b: `k${index}` })),
  list("objects of other keys", (index) => ({ [`k${index}`]: index })),
  list("one kind, then another", (index, count) => (index < count / 2 ? index : `k${index}`)),
  list("changes", (index) => ({ Type: "create", Path: [`k${index}`], From: null, To: index })),
  list("changes of elements", (index) => ({ Type: "delete", Path: [String(index)], From: 1, To: null })),
  object(
    "numbers",
    (index) => `k${index}`,
    (index) => index,
  ),
  object(
    "numbered keys",
    (index) => String(index),
    (index) => index,
  ),
  object(
    "keys with dots",
    (index) => `a.k${index}`,
    (index) => index,
  ),
  object(
    "objects",
    (index) => `k${index}`,
    () => ({ a: 1 }),
  ),
  object(
    "keys of one start",
    (index) => `a0000000000000000${index}`,
    () => "v",
  ),
  deep("objects", (inner) => ({ a: inner })),
  deep("arrays", (inner) => [inner]),
  deep("objects with two keys", (inner) => ({ a: inner, b: 1 })),
  {
    name: "a long text in arrays in each other",
    make(size) {
      let value: Value = "a".repeat(size / 2);
      for (let depth = 0; depth < Math.min(size / itemSize, 2000); depth++) value = [value];
      return value;
    },
  },
  {
    name: "a long text in objects in each other",
    make(size) {
      let value: Value = "a".repeat(size / 2);
      for (let depth = 0; depth < Math.min(size / itemSize, 2000); depth++) value = { a: value };
      return value;
    },
  },
];

/** Returns seeded random choices that are the same on every machine (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("nothing to pick");
    return item;
  };
  return { below, pick };
}
