// Checks Base64 (RFC 4648, section 4) as the reference engine does.

/** Returns the index of the first byte that is not valid; `undefined` if all are. Line breaks are ignored. */
export function base64Fault(bytes: string): number | undefined {
  const next = (from: number): number => {
    let at = from;
    while (bytes[at] === "\n" || bytes[at] === "\r") at++;
    return at;
  };
  let at = 0;
  for (;;) {
    for (let count = 0; count < 4; count++) {
      at = next(at);
      if (at >= bytes.length) return count === 0 ? undefined : at - count;
      if (/[A-Za-z0-9+/]/.test(bytes.charAt(at))) {
        at++;
        continue;
      }
      if (bytes[at] !== "=" || count < 2) return at;
      at = next(at + 1);
      if (count === 2) {
        if (at >= bytes.length) return bytes.length;
        if (bytes[at] !== "=") return at;
        at = next(at + 1);
      }
      return at < bytes.length ? at : undefined;
    }
  }
}
