// Judges path items by the JSON of their text, so that a rule reads only those in which it may find something: a large document
// has thousands.

import type { DocumentNode, JsonObject } from "../trees/document.ts";
import { isPlain, jsonOf } from "./operation-parts.ts";

/** The methods under which a path item declares operations. */
export const verbKeys: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

/** Returns the JSON of a path item, and of its operations by verb; `undefined` if it is not at hand or refers to something. */
export function plainItem(item: DocumentNode): PlainItem | undefined {
  const json = jsonOf(item);
  if (!isPlain(json)) return undefined;
  const operations: JsonObject[] = [];
  for (const key in json) {
    if (!verbKeys.has(key)) continue;
    const operation = json[key];
    if (!isPlain(operation)) return undefined;
    operations.push(operation);
  }
  return { json, operations };
}

/** A path item and its operations, none of which is a reference. */
export interface PlainItem {
  readonly json: JsonObject;
  readonly operations: readonly JsonObject[];
}

/** The path items in which a rule finds nothing, whatever else a document contains. */
export class SoundItems {
  readonly #isSound: (part: JsonObject) => boolean;
  readonly #known = new WeakSet<DocumentNode>();

  /** `isSound`: whether the rule finds nothing in a path item without its operations, or in one operation. */
  constructor(isSound: (part: JsonObject) => boolean) {
    this.#isSound = isSound;
  }

  /** Whether it is known that the rule finds nothing. `item`: with its reference resolved. */
  has(item: DocumentNode): boolean {
    if (this.#known.has(item)) return true;
    const plain = plainItem(item);
    if (plain === undefined || !this.#isSound(plain.json) || !plain.operations.every(this.#isSound))
      return false;
    this.#known.add(item);
    return true;
  }

  /** Remembers a path item without references that was read, and in which nothing was found. */
  add(item: DocumentNode): void {
    this.#known.add(item);
  }
}
