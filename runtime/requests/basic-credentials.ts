// Basic authentication: a user and a password with every request (RFC 7617).

import { percentDecode } from "../text/percent.ts";
import type { Credentials } from "./request.ts";

/** The `basic_auth` block. */
interface BasicBlock {
  readonly enabled?: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** Returns the credentials of a block; `undefined` if it is disabled. */
export function basicCredentials({
  enabled,
  username = "",
  password = "",
}: BasicBlock): Credentials | undefined {
  if (enabled !== true) return undefined;
  const value = basicValue(username, password);
  return { apply: ({ headers }) => void headers.set("authorization", value) };
}

/** Returns the value of an `Authorization` header. */
export function basicValue(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Returns an address without its user and password, and an `Authorization` value with them if it had any. */
export function credentialsOf(address: URL): {
  readonly url: URL;
  readonly authorization: string | undefined;
} {
  const { username, password } = address;
  if (username === "" && password === "") return { url: address, authorization: undefined };
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return { url, authorization: basicValue(percentDecode(username), percentDecode(password)) };
}
