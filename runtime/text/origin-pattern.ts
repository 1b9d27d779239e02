// Patterns of origins, as lists of allowed origins contain them: `https://*.example.com`.

/** Returns a test for the origins, in lower case, that a pattern allows. Each `*` stands for at least one character. */
export function createOriginTest(pattern: string): (origin: string) => boolean {
  const [start = "", ...others] = pattern.toLowerCase().replace(/\/$/, "").split("*");
  const end = others.pop();
  if (end === undefined) return (origin) => origin === start;
  return (origin) => {
    let at = start.length + 1;
    // The first place of a part leaves the most for the parts after it.
    for (const part of others) {
      const found = origin.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length + 1;
    }
    return origin.startsWith(start) && origin.endsWith(end) && origin.length - end.length >= at;
  };
}

/** Hosts without a common letter, and without one of a scheme. */
const differing = ["a.b.c", "d.e.f"] as const;

/** Whether a pattern allows the pages of every host, at least over one scheme and on some port: `https://*`. */
export function allowsEveryHost(pattern: string): boolean {
  const test = createOriginTest(pattern);
  const port = `:${Number.parseInt(pattern.split(":").at(-1) ?? "", 10) || 1}`;
  const isOpen = (scheme: string, end: string) =>
    differing.every((host) => test(`${scheme}://${host}${end}`));
  return ["http", "https"].some((scheme) => isOpen(scheme, "") || isOpen(scheme, port));
}
