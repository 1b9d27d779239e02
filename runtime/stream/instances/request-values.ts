// The values of one request as the factory of a stream reads them: typed by the field they fill.

import { GatewayError } from "../../errors.ts";
import { expectedOf, expectedTypes, parseValue, type ValueTypes } from "../../process/environment.ts";
import type { EnvironmentLimit } from "../../process/environment-limits.ts";

/** Reads of `$gw_context.NAME` and `$gw_meta.NAME`, as `context.NAME` and `meta.NAME`, within `limit`. */
export interface RequestValues {
  text<T extends string = string>(name: string, limit?: EnvironmentLimit<T>): T;
  integer<T extends number = number>(name: string, limit?: EnvironmentLimit<T>): T;
  number(name: string, limit?: EnvironmentLimit<number>): number;
  boolean(name: string): boolean;
  /** Go duration text such as `5s`, in milliseconds. */
  duration(name: string): number;
  /** One item of a list whose texts are split at commas: it holds none. */
  item<T extends string = string>(name: string, limit?: EnvironmentLimit<T>): T;
  /** `text`, in which the values of `names` stand, read as `type` and within `limit` as a whole. */
  together<K extends keyof ValueTypes, T extends ValueTypes[K] = ValueTypes[K]>(
    type: K,
    text: string,
    limit: EnvironmentLimit<T> | undefined,
    ...names: readonly string[]
  ): T;
}

/** Values by name. Reading one as what it is not throws a `GatewayError` that the client gets as 400. */
export function createRequestValues(values: ReadonlyMap<string, string>): RequestValues {
  /** `T` is the part of a type that `limit` lets through; all of it where there is none. */
  const readWithin = <T>(
    type: keyof ValueTypes,
    text: string,
    limit: EnvironmentLimit<T> | undefined,
    names: readonly string[],
  ): T => {
    const value: unknown = parseValue(type, text);
    const what = () => names.map(describe).join(" and ");
    if (value === undefined) throw new GatewayError(400, `${what()} does not read as ${expectedTypes[type]}`);
    const accepts = (given: unknown): given is T => limit === undefined || limit.accepts(given);
    if (accepts(value)) return value;
    throw new GatewayError(400, `${what()} is not ${expectedOf(expectedTypes[type], limit)}`);
  };
  const read = <T>(type: keyof ValueTypes, name: string, limit?: EnvironmentLimit<T>): T =>
    readWithin(type, values.get(name) ?? "", limit, [name]);
  return {
    text: (name, limit) => read("text", name, limit),
    integer: (name, limit) => read("integer", name, limit),
    number: (name, limit) => read("number", name, limit),
    boolean: (name) => read("boolean", name),
    duration: (name) => read("duration", name),
    item(name, limit) {
      if (values.get(name)?.includes(",") === true)
        throw new GatewayError(400, `${describe(name)} holds a comma`);
      return read("text", name, limit);
    },
    together: (type, text, limit, ...names) => readWithin(type, text, limit, names),
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
  item: <T extends string>() => "request" as T,
  // No text with such values in it reads as a number.
  together: <K extends keyof ValueTypes, T extends ValueTypes[K]>(type: K, text: string) =>
    (parseValue(type, text) ?? 1) as T,
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
