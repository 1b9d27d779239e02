// A user and password with every request (RFC 7617).

import type { Credentials } from "./request.ts";

/** The `basic_auth` block. */
export interface BasicBlock {
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
