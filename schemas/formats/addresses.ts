import { type Format, piecesOf } from "./format.ts";

/** 1 to 65535, as part of a pattern. */
export const port = "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])(?!\\d)";

/** Invalid ports. */
export const portFaults: Format["faults"] = [
  [new RegExp(`:(?!${port})\\d+(?:[/?#]|$)`), "a port is between 1 and 65535"],
  [/[^:/]:(?![\d/])[^@/:\]]*(?:[/?#]|$)/, "its port is not a number"],
];

const user = "(?:[^\\s/?#@]*@)?";
const host = "(?:\\[[0-9a-f:.]+\\]|[^\\s:/?#@,[\\]\\\\]+)";
const rest = "(?:[/?#][^\\r\\n]*)?";

interface AddressWords {
  readonly title: string;
  readonly example: string;
  readonly isSchemeOptional: boolean;
}

/** Returns the format of addresses such as `scheme://user@host:port/path`, with one of these schemes. */
export function addressFormat(schemes: readonly string[], words: AddressWords): Format {
  const { isSchemeOptional, ...shown } = words;
  const scheme = `(?:${schemes.join("|")})://`;
  // Otherwise `tcp//localhost` would be the host `tcp` with a path.
  const begin = isSchemeOptional ? `(?:${scheme}|(?![^/?#]*//))` : scheme;
  const named = schemes.map((each) => `\`${each}://\``);
  const allowed = named.length === 1 ? named.join("") : `${named.slice(0, -1).join(", ")} or ${named.at(-1)}`;
  return {
    ...shown,
    pattern: new RegExp(`^${begin}${user}${host}(?::${port})?${rest}$`, "i"),
    faults: [
      [/^\s|\s$/, "it has spaces around it"],
      [
        new RegExp(`^(?!${scheme})(?:${schemes.join("|")})(?::?/|:(?!\\d))`, "i"),
        "its scheme must be followed by `://`",
      ],
      [
        new RegExp(`^(?!${scheme})${isSchemeOptional ? "[^/]*//" : ""}`, "i"),
        `it must start with ${allowed}`,
      ],
      [/^(?:[^/]*:\/\/)?[^/?#]*\s/, "its host contains a space"],
      [/^[^/]*:\/\/(?:[^/?#@]*@)?(?:[:/?#]|$)/, "it has no host"],
      ...portFaults,
    ],
    otherwise: "it is malformed",
    fillings: beginnings(schemes),
  };
}

/** Returns beginnings of addresses with these schemes. */
export function beginnings(schemes: readonly string[]): readonly string[] {
  return schemes.flatMap((each) => [each, `${each}:`, `${each}://`, `${each}://a`]);
}

/** The address of an HTTP server. */
export const httpUrl = addressFormat(["http", "https"], {
  title: "an HTTP address",
  example: "https://api.example.com/orders",
  isSchemeOptional: false,
});

/** A WebSocket server. */
export const socketUrl = addressFormat(["ws", "wss"], {
  title: "the address of a WebSocket server",
  example: "wss://events.example.com/orders",
  isSchemeOptional: false,
});

/** The origin of pages, as sent by browsers. A path is ignored, and `*` is any origin. */
export const origin: Format = {
  title: "an origin",
  pattern: new RegExp(`^(?:\\*|https?://${host}(?::${port})?${rest})$`, "i"),
  faults: [[/^(?!https?:\/\/)/i, "it must start with `http://` or `https://`"], ...portFaults],
  otherwise: "it consists of a scheme, a host and an optional port",
  fillings: beginnings(["http", "https"]),
  example: "https://shop.example.com",
};

/**
 * A redirect URI of an OAuth client: https, http on the client's own machine, or a private-use scheme, which contains a
 * dot (RFC 8252, sections 7.1 and 8.4), without a fragment (RFC 6749, section 3.1.2).
 */
export const redirectUri: Format = {
  title: "a redirect URI",
  pattern: new RegExp(
    `^(?:(?:https://${user}${host}|http://${user}(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::${port})?(?:[/?][^\\s#]*)?|[a-z][a-z0-9+-]*(?:\\.[a-z0-9+-]+)+:[^\\s#]*)$`,
    "i",
  ),
  faults: [
    [/\s/, "it contains a space"],
    [/#/, "it has a fragment"],
    [/^https?:\/*(?:[:?]|$)/i, "it has no host"],
    [/^http:\/\//i, "`http` is allowed at `localhost`, `127.0.0.1` and `[::1]` only"],
    [/^(?!https?:)[a-z0-9+-]+:/i, "a private scheme contains a dot"],
    [/^(?![a-z][a-z0-9+.-]*:)/i, "it has no scheme"],
    ...portFaults,
  ],
  otherwise: "it is malformed",
  longest: 2_048,
  fillings: [
    ...beginnings(["http", "https"]),
    ...["localhost", "//localhost", "127.0.0.1", "[::1]", "a.a:"],
    ...["http://localhost", "http://127.0.0.1", "http://[::1]"].flatMap(piecesOf),
  ],
  example: "https://shop.example.com/callback",
};
