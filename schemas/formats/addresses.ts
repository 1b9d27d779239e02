import type { Format } from "./format.ts";

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
