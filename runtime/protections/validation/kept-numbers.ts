// Gives the numbers of a parsed value the texts that JavaScript would not print.

import { SourceNumber, type Value } from "../../message/value.ts";

/** The numbers of a text that have to keep their text: for each, its place among all numbers, its start and its end. */
export type KeptNumbers = readonly number[];

type Compound = Record<string | number, unknown>;

/** An array or object whose children are looked at, and which is next. `keys`: those of an object. */
interface Open {
  readonly container: Compound;
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * Returns the document of a message with this content: the parsed value with `kept` replaced, in place. Returns
 * `undefined` if members may not have the order of the text, as JavaScript moves keys such as `7` to the front.
 */
export function keepTexts(parsed: unknown, bytes: Buffer, kept: KeptNumbers): Value | undefined {
  if (kept.length === 0) return parsed as Value;
  const root = { value: parsed };
  // With a stack of its own, as values may nest deeper than the call stack.
  const open: Open[] = [openOf(root)];
  let place = 0;
  let at = 0;
  for (let top = open.at(-1); top !== undefined && at < kept.length; top = open.at(-1)) {
    if (top.next === top.length) {
      open.pop();
      continue;
    }
    const key = top.keys?.[top.next] ?? top.next;
    top.next += 1;
    const child = top.container[key];
    if (typeof child === "number") {
      if (place === kept[at]) {
        // The key is an own property already, so assigning is safe even for `__proto__`.
        top.container[key] = new SourceNumber(bytes.toString("latin1", kept[at + 1], kept[at + 2]));
        at += 3;
      }
      place += 1;
    } else if (typeof child === "object" && child !== null) {
      const inner = openOf(child as Compound);
      if (inner.keys?.some(mayBeIndex)) return undefined;
      open.push(inner);
    }
  }
  return root.value as Value;
}

function openOf(container: Compound | unknown[]): Open {
  if (Array.isArray(container)) {
    const { length } = container;
    return { container: container as unknown as Compound, keys: undefined, length, next: 0 };
  }
  const keys = Object.keys(container);
  return { container, keys, length: keys.length, next: 0 };
}

/** Whether a key may be the index of an array, which objects have first. */
function mayBeIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}
