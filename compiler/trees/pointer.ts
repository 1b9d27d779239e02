// Splits the text of a `$ref` into a file and a place in it, and writes keys as parts of a JSON Pointer (RFC 6901). Reads
// no files.

/** The destination of a reference, from its text alone. */
export type Reference =
  | { readonly kind: "remote" }
  | { readonly kind: "malformed" }
  | {
      readonly kind: "place";
      /** Relative to the file of the reference; absent within the same file. */
      readonly path?: string;
      /** The keys from the root, or the name of an `$anchor`. */
      readonly place: readonly string[] | string;
    };

/** Parses `orders.yaml#/components/schemas/Order`, `#/paths/~1orders`, `#anchor`. */
export function parseReference(text: string): Reference {
  const hash = text.indexOf("#");
  if (hash !== 0) {
    if (/^(?:https?:)?\/\//i.test(text)) return { kind: "remote" };
    if (text === "" || /^[a-z][a-z0-9+.-]*:/i.test(text)) return { kind: "malformed" };
  }
  const path = decode(hash === -1 ? text : text.slice(0, hash));
  const place = parseFragment(hash === -1 ? "" : text.slice(hash + 1));
  if (path === undefined || place === undefined) return { kind: "malformed" };
  return { kind: "place", ...(path === "" ? {} : { path }), place };
}

function parseFragment(fragment: string): readonly string[] | string | undefined {
  if (fragment === "") return [];
  if (!fragment.startsWith("/")) return decode(fragment);
  const keys: string[] = [];
  for (const part of fragment.slice(1).split("/")) {
    const key = decode(part);
    if (key === undefined || (key.includes("~") && /~(?![01])/.test(key))) return undefined;
    keys.push(unescapeKey(key));
  }
  return keys;
}

/** Returns a key as a part of a JSON Pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the key of a part of a JSON Pointer. */
export function unescapeKey(part: string): string {
  // Large documents have many references, and hardly any with an escape.
  return part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part;
}

function decode(text: string): string | undefined {
  // Large documents have many references, and hardly any with an escape.
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%`: the caller reports the reference as malformed.
    return undefined;
  }
}
