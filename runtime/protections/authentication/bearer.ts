// Credentials that are sent as they are, mostly as `Authorization: Bearer …` (RFC 6750).

import { GatewayError } from "../../errors.ts";
import type { Call } from "../../http/call.ts";
import { type CredentialSources, readCredential } from "./sources.ts";

const bearerPattern = /^bearer +/i;

/** The token of a request; `undefined` where none of these places has one, or only one of another scheme. */
export function readBearer(call: Call, sources: CredentialSources): string | undefined | GatewayError {
  const credential = readCredential(call, sources);
  if (credential === undefined || credential instanceof GatewayError) return credential;
  const token = credential.replace(bearerPattern, "");
  // `Basic …` and the like are for other schemes, which only that header is shared with.
  return isShared(sources) && token.includes(" ") ? undefined : token;
}

function isShared({ header }: CredentialSources): boolean {
  return header?.toLowerCase() === "authorization";
}
