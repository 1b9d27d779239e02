// The values of one request as the factory of a stream reads them: typed by the field they fill.

import { parseValue, type ValueTypes } from "../environment.ts";
import { eachOf, type Limit } from "../environment-limits.ts";
import { GatewayError } from "../errors.ts";

/** Reads of `$gw_context.NAME` and `$gw_meta.NAME`, as `context.NAME` and `meta.NAME`, within `limit`. */
export interface RequestValues {
  text<T extends string = string>(name: string, limit?: Limit<T>): T;
  integer<T extends number = number>(name: string, limit?: Limit<T>): T;
  number(name: string, limit?: Limit<number>): number;
  boolean(name: string): boolean;
  /** Go duration text such as `5s`, in milliseconds. */
  duration(name: string): number;
  /** Comma-separated; `limit` is about each item. */
  list<T extends string = string>(name: string, limit?: Limit<T>): readonly T[];
  /** `text` itself, which was put together of what `names` gave and more, and has to be within `limit` as a whole. */
  together<T extends string>(text: string, limit: Limit<T>, ...names: readonly string[]): T;
}

/** Values by name. Reading one as what it is not throws a `GatewayError` that the client gets as 400. */
export function createRequestValues(values: ReadonlyMap<string, string>): RequestValues {
  const read = <T extends keyof ValueTypes>(type: T, name: string): ValueTypes[T] => {
    const value = parseValue(type, values.get(name) ?? "");
    if (value === undefined)
      throw new GatewayError(400, `${describe(name)} does not read as ${expected[type]}`);
    return value;
  };
  /** `T` is the part of a type that `limit` lets through; all of it where there is none. */
  const readWithin = <T>(type: keyof ValueTypes, name: string, limit: Limit<T> | undefined): T => {
    const value: unknown = read(type, name);
    const accepts = (given: unknown): given is T => limit === undefined || limit.accepts(given);
    if (accepts(value)) return value;
    throw new GatewayError(400, `${describe(name)} is not ${limit?.expected}`);
  };
  return {
    text: (name, limit) => readWithin("text", name, limit),
    integer: (name, limit) => readWithin("integer", name, limit),
    number: (name, limit) => readWithin("number", name, limit),
    boolean: (name) => read("boolean", name),
    duration: (name) => read("duration", name),
    list: (name, limit) => readWithin("list", name, limit && eachOf(limit)),
    together(text, limit, ...names) {
      if (limit.accepts(text)) return text;
      throw new GatewayError(400, `${names.map(describe).join(" and ")} cannot be part of ${limit.expected}`);
    },
  };
}

/** Stands for the values while there is no request: routes are known before the first one comes. */
export const noRequest: RequestValues = {
  // Nothing is opened with them, so it does not matter whether they are within limits.
  text: <T extends string>() => "request" as T,
  integer: <T extends number>() => 1 as T,
  number: () => 1,
  boolean: () => false,
  duration: () => 1,
  list: <T extends string>() => ["request" as T],
  together: <T extends string>(text: string) => text as T,
};

/** What a variable is read from, in words for the client. */
export function describe(name: string): string {
  const [, kind = "", rest = ""] =
    /^(?:context\.)?(headers|cookies|request_data|path_params|jwt_claims|meta)[_.](.+)$/.exec(name) ?? [];
  const words: Readonly<Record<string, string>> = {
    headers: "The header",
    cookies: "The cookie",
    request_data: "The query parameter",
    path_params: "The path parameter",
    jwt_claims: "The claim",
    meta: "The key's metadata",
  };
  return `${words[kind] ?? "The request's"} ${rest === "" ? name.replace("context.", "") : rest.replaceAll("_", kind === "headers" ? "-" : "_")}`;
}

const expected = {
  text: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  duration: "a duration such as 5s",
  list: "a list",
} as const satisfies Record<keyof ValueTypes, string>;
