// Environment variables as an emitted gateway reads them: typed by the field they fill, and all missing
// or unreadable ones reported together.

import { parseDuration } from "../text/duration.ts";
import { splitCommas } from "../text/trim.ts";
import { eachOf, type Limit } from "./environment-limits.ts";
import { fileFault } from "./machine-files.ts";

/**
 * Reads of `${NAME}` and `${NAME:default}`; a read without `fallback` must be set. What is set has to be within
 * `limit`.
 */
export interface Environment {
  text<T extends string = string>(name: string, fallback?: T, limit?: Limit<T>): T;
  integer<T extends number = number>(name: string, fallback?: T, limit?: Limit<T>): T;
  number(name: string, fallback?: number, limit?: Limit<number>): number;
  boolean(name: string, fallback?: boolean): boolean;
  /** Go duration text such as `5s` or `1m30s`, in milliseconds. */
  duration(name: string, fallback?: number): number;
  /** Comma-separated; `limit` is about each item. */
  list<T extends string = string>(name: string, fallback?: readonly T[], limit?: Limit<T>): readonly T[];
  /** The content of a mounted secret, `${file:PATH}`, without its final line break. */
  file(path: string): string;
  /** `text` itself, which was put together of what `names` gave, and has to be within `limit` as a whole. */
  together<T extends string>(text: string, limit: Limit<T>, ...names: readonly string[]): T;
}

/** File and line where documents read variables, by their names. */
export type VariablePlaces = Readonly<Record<string, string>>;

/** An environment that notes what it could not give instead of failing at the first. */
export interface CheckedEnvironment extends Environment {
  /** Has problems name the places where variables are read; those of a name that comes again take the place of the former. */
  locate(places: VariablePlaces | undefined): void;
  /**
   * Gives what `read` made of the environment. Throws one `EnvironmentError` with everything `read` asked
   * for in vain; what `read` itself threw then counts as a consequence.
   */
  collect<T>(read: () => T): T;
}

/** Variables that are not set or cannot be read as what they fill, and secrets that cannot be read. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

/** Variables by name, as `process.env` has them. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Reads `variables`, and mounted secrets by `readFile`. A variable set to nothing counts as not set where
 * it has a fallback. Values never show up in problems: they may be secrets.
 */
export function createEnvironment(
  variables: EnvironmentVariables,
  readFile: (path: string) => string,
): CheckedEnvironment {
  let problems = new Set<string>();
  const places = new Map<string, string>();
  const placed = (name: string) => (places.has(name) ? `${name} (${places.get(name)})` : name);

  function read<T>(
    name: string,
    fallback: T | undefined,
    substitute: T,
    expected: string,
    parse: (text: string) => T | undefined,
  ): T {
    const text = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (text === undefined || (text === "" && fallback !== undefined)) {
      if (fallback !== undefined) return fallback;
      problems.add(`${placed(name)} is not set`);
      return substitute;
    }
    const value = parse(text);
    if (value !== undefined) return value;
    problems.add(`${placed(name)} is not ${expected}`);
    return substitute;
  }

  /** `T` is the part of a type that `limit` lets through; all of it where there is none. */
  function readWithin<T>(
    name: string,
    fallback: T | undefined,
    substitute: unknown,
    expected: string,
    parse: (text: string) => unknown,
    limit: Limit<T> | undefined,
  ): T {
    const accepts = (value: unknown): value is T => limit === undefined || limit.accepts(value);
    // The substitute is not used: `collect` throws.
    return read(name, fallback, substitute as T, expectedOf(expected, limit), (text) => {
      const value = parse(text);
      return value !== undefined && accepts(value) ? value : undefined;
    });
  }

  return {
    text: (name, fallback, limit) => readWithin(name, fallback, "", "a text", parsers.text, limit),
    integer: (name, fallback, limit) =>
      readWithin(name, fallback, 0, expectedTypes.integer, parsers.integer, limit),
    number: (name, fallback, limit) =>
      readWithin(name, fallback, 0, expectedTypes.number, parsers.number, limit),
    boolean: (name, fallback) => read(name, fallback, false, "true or false", parsers.boolean),
    duration: (name, fallback) => read(name, fallback, 0, "a duration such as 5s", parsers.duration),
    list: (name, fallback, limit) =>
      readWithin(name, fallback, [], "a list", parsers.list, limit && eachOf(limit)),
    file(path) {
      try {
        return readFile(path).replace(/\r?\n$/, "");
      } catch (error) {
        problems.add(`${path} cannot be read (${fileFault(error)})`);
        return "";
      }
    },
    together(text, limit, ...names) {
      if (limit.accepts(text)) return text;
      const isExplained = [...problems].some((problem) =>
        names.some((name) => problem.startsWith(`${name} `)),
      );
      const is = names.length === 1 ? "is" : "together are";
      if (!isExplained) problems.add(`${names.map(placed).join(" and ")} ${is} not ${limit.expected}`);
      // It is not used: `collect` throws.
      return text as never;
    },
    locate(given = {}) {
      for (const [name, place] of Object.entries(given)) places.set(name, place);
    },
    collect(readAll) {
      problems = new Set();
      try {
        const value = readAll();
        if (problems.size === 0) return value;
      } catch (error) {
        if (problems.size === 0) throw error;
      }
      throw new EnvironmentError([...problems]);
    },
  };
}

/** What texts are read as. */
export interface ValueTypes {
  text: string;
  integer: number;
  number: number;
  boolean: boolean;
  /** Milliseconds. */
  duration: number;
  /** Items between commas. */
  list: readonly string[];
}

const parsers: { readonly [T in keyof ValueTypes]: (text: string) => ValueTypes[T] | undefined } = {
  text: (text) => text,
  integer: parseInteger,
  number: parseNumber,
  boolean: parseBoolean,
  duration: parseWait,
  list: splitCommas,
};

/** What a text from outside reads as; `undefined` when it does not. */
export function parseValue<T extends keyof ValueTypes>(type: T, text: string): ValueTypes[T] | undefined {
  return parsers[type](text);
}

/**
 * `text`, which was put together of what `names` gave, read as what its field takes. Throws an `EnvironmentError` where
 * it does not read so, or is not within `limit`.
 */
export function readTogether<K extends keyof ValueTypes, T extends ValueTypes[K] = ValueTypes[K]>(
  type: K,
  text: string,
  limit: Limit<T> | undefined,
  ...names: readonly string[]
): T {
  const value: unknown = parseValue(type, text);
  const accepts = (given: unknown): given is T => given !== undefined && (limit?.accepts(given) ?? true);
  if (accepts(value)) return value;
  const expected = expectedOf(expectedTypes[type], limit);
  throw new EnvironmentError([
    `${names.join(" and ")} ${names.length === 1 ? "is" : "together are"} not ${expected}`,
  ]);
}

/** `an integer of at least 1`: ranges follow the type, and other limits stand in its place. */
export function expectedOf(type: string, limit: Limit<unknown> | undefined): string {
  if (limit === undefined) return type;
  return limit.isRange === true ? `${type} ${limit.expected}` : limit.expected;
}

/** What a value is, in words that follow "is not". */
export const expectedTypes = {
  text: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  duration: "a duration such as 5s",
  list: "a list",
} as const satisfies Record<keyof ValueTypes, string>;

/** Milliseconds that a timer can wait; Node's timers end at once when told to wait longer. */
function parseWait(text: string): number | undefined {
  const milliseconds = parseDuration(text) ?? -1;
  return milliseconds >= 0 && milliseconds < 2 ** 31 ? milliseconds : undefined;
}

function parseInteger(text: string): number | undefined {
  const value = /^[-+]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

function parseNumber(text: string): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const spellings: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/** `true`, `false`, `1` or `0` in any case; `undefined` for other text. */
export function parseBoolean(text: string): boolean | undefined {
  return spellings[text.trim().toLowerCase()];
}
