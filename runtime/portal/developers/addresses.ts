// E-mail addresses that can be written into a header without quotes (RFC 5321, section 4.1.2).

import { unicodePattern } from "../../text/memo.ts";

/** The maximum length of an address, and of the part before its `@` (RFC 5321, section 4.5.3.1). */
const mostCharacters = 254;
const mostLocal = 64;

const local = /* @__PURE__ */ unicodePattern("^[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~.-]+$");
const domain = /* @__PURE__ */ unicodePattern("^[\\p{L}\\p{N}.-]+$");

/**
 * Whether a text is an address without quotes, comments or anything that ends a header or begins another address.
 * Rejects characters that Unicode normalisation (NFKC) replaces: the Kelvin sign, for example, is a `k` in lower case,
 * so an address that contains it would be taken for another mailbox.
 */
export function isAddress(text: string): boolean {
  if (text.length > mostCharacters || text.normalize("NFKC") !== text) return false;
  const at = text.indexOf("@");
  const [name, host] = [text.slice(0, at), text.slice(at + 1)];
  return (
    at > 0 &&
    at <= mostLocal &&
    local().test(name) &&
    domain().test(host) &&
    name.split(".").every((atom) => atom !== "") &&
    host.split(".").every((label) => label !== "" && !label.startsWith("-") && !label.endsWith("-"))
  );
}
