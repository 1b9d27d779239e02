// The environment variables of an emitted gateway: typed by the field that they fill, with all missing or invalid
// ones reported together.

import { parseDuration } from "../text/duration.ts";
import { splitCommas } from "../text/trim.ts";
import { type EnvironmentLimit, eachOf } from "./environment-limits.ts";
import { fileFault } from "./machine-files.ts";

/**
 * Reads `${NAME}` and `${NAME:default}`. A variable that is read without `fallback` must be set, and its value must
 * be within `limit`.
 */
export interface Environment {
  text<T extends string = string>(name: string, fallback?: T, limit?: EnvironmentLimit<T>): T;
  integer<T extends number = number>(name: string, fallback?: T, limit?: EnvironmentLimit<T>): T;
  number(name: string, fallback?: number, limit?: EnvironmentLimit<number>): number;
  boolean(name: string, fallback?: boolean): boolean;
  /** Reads a Go duration such as `5s` or `1m30s`, in milliseconds. */
  duration(name: string, fallback?: number): number;
  /** Reads a comma-separated list; `limit` applies to each item. */
  list<T extends string = string>(
    name: string,
    fallback?: readonly T[],
    limit?: EnvironmentLimit<T>,
  ): readonly T[];
  /** Returns the content of a mounted secret, `${file:PATH}`, without its final line break. */
  file(path: string): string;
  /** Returns `text`, which was composed of the variables in `names` and must be within `limit` as a whole. */
  together<T extends string>(text: string, limit: EnvironmentLimit<T>, ...names: readonly string[]): T;
  /** Records a problem of a variable, in words that follow its name, unless it already has one. */
  refuse(name: string, problem: string): void;
}

/** The file and line where documents read a variable, by its name. */
export type VariablePlaces = Readonly<Record<string, string>>;

/** An environment that collects problems instead of failing at the first one. */
export interface CheckedEnvironment extends Environment {
  /** Adds the places where variables are read to problems; a later place of the same name replaces the earlier one. */
  locate(places: VariablePlaces | undefined): void;
  /**
   * Returns the result of `read`. Throws one `EnvironmentError` with all problems that occurred during `read`; an
   * error that `read` itself throws then counts as a consequence of them.
   */
  collect<T>(read: () => T): T;
}

/** The error for variables that are not set or not valid for their field, and for secrets that cannot be read. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

/** Variables by name, like `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Returns an environment that reads `variables`, and mounted secrets by `readFile`. An empty variable counts as not
 * set if it has a fallback. Problems never contain values, which may be secrets.
 */
export function createEnvironment(
  variables: EnvironmentVariables,
  readFile: (path: string) => string,
): CheckedEnvironment {
  let problems = new Set<string>();
  const places = new Map<string, string>();
  const placed = (name: string) => (places.has(name) ? `${name} (${places.get(name)})` : name);
  const add = (name: string, problem: string) => problems.add(`${placed(name)} ${problem}`);
  const isRefused = (name: string) => [...problems].some((problem) => problem.startsWith(`${name} `));

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
      add(name, "is not set");
      return substitute;
    }
    const value = parse(text);
    if (value !== undefined) return value;
    add(name, `is not ${expected}`);
    return substitute;
  }

  /** `T` is the subset of a type that `limit` accepts; the whole type if there is no limit. */
  function readWithin<T>(
    name: string,
    fallback: T | undefined,
    substitute: unknown,
    expected: string,
    parse: (text: string) => unknown,
    limit: EnvironmentLimit<T> | undefined,
  ): T {
    const accepts = (value: unknown): value is T => limit === undefined || limit.accepts(value);
    // The substitute is never used, because `collect` throws.
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
        add(path, `cannot be read (${fileFault(error)})`);
        return "";
      }
    },
    together(text, limit, ...names) {
      if (limit.accepts(text)) return text;
      const is = names.length === 1 ? "is" : "together are";
      if (!names.some(isRefused))
        problems.add(`${names.map(placed).join(" and ")} ${is} not ${limit.expected}`);
      // The text is never used, because `collect` throws.
      return text as never;
    },
    refuse(name, problem) {
      if (!isRefused(name)) add(name, problem);
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

/** The types that texts can be parsed as. */
export interface ValueTypes {
  text: string;
  integer: number;
  number: number;
  boolean: boolean;
  /** Milliseconds. */
  duration: number;
  /** The items of a comma-separated list. */
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

/** Parses a text as a value of `type`; returns `undefined` if it is not valid. */
export function parseValue<T extends keyof ValueTypes>(type: T, text: string): ValueTypes[T] | undefined {
  return parsers[type](text);
}

/**
 * Parses `text`, which was composed of the variables in `names`, as the type of its field. Throws an
 * `EnvironmentError` if it is not valid or not within `limit`.
 */
export function readTogether<K extends keyof ValueTypes, T extends ValueTypes[K] = ValueTypes[K]>(
  type: K,
  text: string,
  limit: EnvironmentLimit<T> | undefined,
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

/** Returns a description such as `an integer of at least 1`: a range follows the type, other limits replace it. */
export function expectedOf(type: string, limit: EnvironmentLimit<unknown> | undefined): string {
  if (limit === undefined) return type;
  return limit.isRange === true ? `${type} ${limit.expected}` : limit.expected;
}

/** The names of the types in messages, after "is not". */
export const expectedTypes = {
  text: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  duration: "a duration such as 5s",
  list: "a list",
} as const satisfies Record<keyof ValueTypes, string>;

/** Parses milliseconds that a timer can wait; Node's timers fire immediately for a longer time. */
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

/** Parses `true`, `false`, `1` or `0` in any case; `undefined` for other text. */
function parseBoolean(text: string): boolean | undefined {
  return spellings[text.trim().toLowerCase()];
}
