// Parsed JSON as the types it is said to have, or an error that names the place.

import { ArtifactError } from "./artifact-error.ts";

/** The fields of an object by name. */
export type Fields = ReadonlyMap<string, unknown>;

/** An object of JSON. */
export interface ReadRecord {
  readonly fields: Fields;
  /** What `read` makes of each value, under the same names; it is given the place of the value, too. */
  map<T>(read: (value: unknown, place: string) => T): Readonly<Record<string, T>>;
}

/** `value` as an object. No name may be `__proto__`, which not every reader takes for a name. */
export function asRecord(value: unknown, place: string): ReadRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ArtifactError(`${place} is not an object`);
  const fields = new Map<string, unknown>(Object.entries(value));
  if (fields.has("__proto__")) throw new ArtifactError(`${place} has a field \`__proto__\``);
  return {
    fields,
    map: (read) =>
      Object.fromEntries([...fields].map(([name, each]) => [name, read(each, `${place}.${name}`)])),
  };
}

/** `value` as a text that `pattern` matches. */
export function asText(value: unknown, place: string, pattern: RegExp): string {
  if (typeof value !== "string" || !pattern.test(value))
    throw new ArtifactError(`${place} cannot be ${describe(value)}`);
  return value;
}

/** `value` as a list of such texts, none of them twice. */
export function asTexts(value: unknown, place: string, pattern: RegExp): readonly string[] {
  if (!Array.isArray(value)) throw new ArtifactError(`${place} is not a list`);
  const texts = value.map((each: unknown, index) => asText(each, `${place}[${index}]`, pattern));
  if (new Set(texts).size < texts.length) throw new ArtifactError(`${place} has something twice`);
  return texts;
}

/** `value` as a whole number of at least `least`. */
export function asNumber(value: unknown, place: string, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least)
    throw new ArtifactError(`${place} cannot be ${describe(value)}, only a whole number from ${least}`);
  return value;
}

/** Whoever sent it may have sent megabytes. */
function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
