// E-mail addresses, as far as they can be written into a header without quotes (RFC 5321, section 4.1.2).

/** Longest address, and longest part before its `@` (RFC 5321, section 4.5.3.1). */
const mostCharacters = 254;
const mostLocal = 64;

const local = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const domain = /^[\p{L}\p{N}.-]+$/u;

/**
 * Whether a text is an address: neither quotes nor comments, nothing that ends a header or begins another address. Characters
 * that stand for others (Unicode, NFKC) are refused: the Kelvin sign is a `k` in lower case, so that an address with it would
 * be taken for another mailbox.
 */
export function isAddress(text: string): boolean {
  if (text.length > mostCharacters || text.normalize("NFKC") !== text) return false;
  const at = text.indexOf("@");
  const [name, host] = [text.slice(0, at), text.slice(at + 1)];
  return (
    at > 0 &&
    at <= mostLocal &&
    local.test(name) &&
    domain.test(host) &&
    name.split(".").every((atom) => atom !== "") &&
    host.split(".").every((label) => label !== "" && !label.startsWith("-") && !label.endsWith("-"))
  );
}
