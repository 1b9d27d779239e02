// The value that a schema checks, and how its numbers were written: JavaScript reads different texts as one number.

/** Returns the value once more, with its numbers as texts; `undefined` if JavaScript prints them as they were written. */
export type ReadAgain = () => unknown;

/** The value as `ReadAgain` returns it. */
interface WrittenValue {
  readonly whole: unknown;
  /** Its lists and objects by those of the value that is checked. */
  readonly parts: ReadonlyMap<unknown, unknown>;
}

let judged: { readonly root: unknown; readonly readAgain: ReadAgain; written?: WrittenValue } | undefined;

/** Returns what `judge` returns for `root`. Meanwhile, `textOf` returns the texts of its numbers. */
export function judging<T>(root: unknown, readAgain: ReadAgain, judge: () => T): T {
  judged = { root, readAgain };
  try {
    return judge();
  } finally {
    judged = undefined;
  }
}

const asPrinted: WrittenValue = { whole: undefined, parts: new Map() };

/** Returns the text of a number: the one at `key` in `parent`, or the whole value, which has no parent. */
export function textOf(number: number, parent: unknown, key: string | number): string {
  return writtenText(number, parent, key) ?? String(number);
}

/** Returns the text of a number as `textOf` does; `undefined` if JavaScript prints all numbers as they were written. */
export function writtenText(number: number, parent: unknown, key: string | number): string | undefined {
  if (judged === undefined) return undefined;
  judged.written ??= writtenOf(judged.root, judged.readAgain());
  if (judged.written === asPrinted) return undefined;
  const { whole, parts } = judged.written;
  const text = parent === undefined ? whole : at(parts.get(parent), key);
  return String(text ?? number);
}

function writtenOf(root: unknown, whole: unknown): WrittenValue {
  if (whole === undefined) return asPrinted;
  const parts = new Map<unknown, unknown>();
  // With a stack of its own, as values may nest deeper than the call stack.
  const open: [unknown, unknown][] = [[root, whole]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, written] = next;
    if (typeof part !== "object" || part === null || typeof written !== "object") continue;
    parts.set(part, written);
    for (const [key, inner] of Object.entries(part))
      if (typeof inner === "object") open.push([inner, at(written, key)]);
  }
  return { whole, parts };
}

function at(holder: unknown, key: string | number): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}
