// A user and password with every request (RFC 7617).

import type { Credentials } from "./request.ts";

/** The `basic_auth` block. */
interface BasicBlock {
  readonly enabled?: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** Credentials of a block; `undefined` where it is switched off. */
export function basicCredentials({
  enabled,
  username = "",
  password = "",
}: BasicBlock): Credentials | undefined {
  if (enabled !== true) return undefined;
  const value = basicValue(username, password);
  return { apply: ({ headers }) => void headers.set("authorization", value) };
}

/** The value of an `Authorization` header. */
export function basicValue(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** An address without its user and password, and the header that stands for them, where it has them. */
export function credentialsOf(address: URL): {
  readonly url: URL;
  readonly authorization: string | undefined;
} {
  const { username, password } = address;
  if (username === "" && password === "") return { url: address, authorization: undefined };
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return { url, authorization: basicValue(decode(username), decode(password)) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that stands for itself
  }
}
