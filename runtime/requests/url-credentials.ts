// Users and passwords that addresses carry.

import { basicValue } from "./basic-credentials.ts";

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
