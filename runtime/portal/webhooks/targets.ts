// Which addresses webhooks may be sent to: who subscribes must not reach what only the gateway can.

import { isIP } from "node:net";
import { hostOf, isPublic } from "../../requests/public-addresses.ts";
import { refusal } from "../../rest/answers.ts";

/**
 * Throws a 422 for an address that nothing could be sent to: of another scheme, with a password, or plainly not public.
 * Names are looked at each time that a connection is made, as what they stand for changes.
 */
export function checkTarget(text: string, allowPrivate: boolean): void {
  const problem = problemOf(URL.parse(text), allowPrivate);
  if (problem !== undefined) throw refusal(422, "Webhook object validation failed.", [`url: ${problem}`]);
}

function problemOf(url: URL | null, allowPrivate: boolean): string | undefined {
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an address of https or http";
  if (url.username !== "" || url.password !== "") return "must not hold a user or password";
  const host = hostOf(url);
  const isLocal = isIP(host) === 0 ? /^(?:.*\.)?localhost\.?$/i.test(host) : !isPublic(host);
  return isLocal && !allowPrivate ? "leads to an address that is not public" : undefined;
}
