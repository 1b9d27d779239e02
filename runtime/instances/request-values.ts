// The values of one request as the factory of a stream reads them: typed by the field they fill.

import { parseValue, type ValueTypes } from "../environment.ts";
import { GatewayError } from "../errors.ts";

/** Reads of `$gw_context.NAME` and `$gw_meta.NAME`, as `context.NAME` and `meta.NAME`. */
export interface RequestValues {
  text(name: string): string;
  integer(name: string): number;
  number(name: string): number;
  boolean(name: string): boolean;
  /** Go duration text such as `5s`, in milliseconds. */
  duration(name: string): number;
  /** Comma-separated. */
  list(name: string): readonly string[];
}

/** Values by name. Reading one as what it is not throws a `GatewayError` that the client gets as 400. */
export function createRequestValues(values: ReadonlyMap<string, string>): RequestValues {
  const read = <T extends keyof ValueTypes>(type: T, name: string): ValueTypes[T] => {
    const value = parseValue(type, values.get(name) ?? "");
    if (value === undefined)
      throw new GatewayError(400, `${describe(name)} does not read as ${expected[type]}`);
    return value;
  };
  return {
    text: (name) => read("text", name),
    integer: (name) => read("integer", name),
    number: (name) => read("number", name),
    boolean: (name) => read("boolean", name),
    duration: (name) => read("duration", name),
    list: (name) => read("list", name),
  };
}

/** Stands for the values while there is no request: routes are known before the first one comes. */
export const noRequest: RequestValues = {
  text: () => "request",
  integer: () => 1,
  number: () => 1,
  boolean: () => false,
  duration: () => 1,
  list: () => ["request"],
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
