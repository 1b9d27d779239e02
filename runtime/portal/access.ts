// Who may use the portal: access tokens, each of one organisation.

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { EnvironmentError } from "../environment.ts";

/** Says whose an `authorization` header is. */
export interface Access {
  /** The organisation of a request's token; `undefined` where it has none that is known. */
  organisationOf(request: Pick<IncomingMessage, "headersDistinct">): string | undefined;
}

/**
 * Access by the tokens of a text such as `acme:TOKEN,TOKEN`; those without a name are of `organisation`. Of tokens only
 * hashes are kept. Throws an `EnvironmentError` where there is none, one is empty, or one is there twice.
 */
export function readAccess(text: string, organisation: string): Access {
  const tokens = text
    .split(",")
    .filter((each) => each.trim() !== "")
    .map((each) => readToken(each.trim(), organisation));
  if (tokens.length === 0) throw new EnvironmentError(["GW_PORTAL_ACCESS_TOKENS names no token"]);
  if (tokens.some((each) => each === undefined)) {
    throw new EnvironmentError([
      "GW_PORTAL_ACCESS_TOKENS has an entry that is neither `TOKEN` nor `ORG:TOKEN`",
    ]);
  }
  const known = tokens.filter((each) => each !== undefined);
  if (new Set(known.map(({ digest }) => digest.toString("hex"))).size < known.length) {
    throw new EnvironmentError(["GW_PORTAL_ACCESS_TOKENS has a token twice"]);
  }
  return {
    organisationOf({ headersDistinct }) {
      const [header, ...others] = headersDistinct.authorization ?? [];
      if (header === undefined || others.length > 0) return undefined;
      const given = digestOf(header.replace(/^bearer +/i, ""));
      // All of them are compared, whichever fits.
      const fitting = known.filter(({ digest }) => timingSafeEqual(digest, given));
      return fitting[0]?.organisation;
    },
  };
}

interface Token {
  readonly organisation: string;
  readonly digest: Buffer;
}

function readToken(text: string, fallback: string): Token | undefined {
  const at = text.indexOf(":");
  const organisation = at < 0 ? fallback : text.slice(0, at).trim();
  const token = text.slice(at + 1).trim();
  return organisation === "" || token === "" ? undefined : { organisation, digest: digestOf(token) };
}

/** Of one length, so that they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
