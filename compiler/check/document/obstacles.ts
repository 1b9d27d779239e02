// Text that keeps requests from ever reaching a path.

/** What a path must not hold, and why. */
const obstacles: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\?/, "a path cannot contain a query"],
  [/#/, "a path cannot contain a fragment"],
  [/%[0-9a-f]{2}/i, "paths are compared after decoding"],
  [/(?:^|\/)\.\.?(?:\/|$)/, "requests with dot segments are rejected"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the gateway refuses
  [/[\\\u0000-\u001f\u007f]/, "requests with such characters are rejected"],
  [/[^/]\{|\}[^/]|\{[^}]*$|\{[^}]*\/|(?:^|\/)[^{/]*\}|\{\}/, "a parameter must be a complete segment"],
];

/** Why no request can have a path; `undefined` where one can. */
export function obstacleIn(path: string): string | undefined {
  return obstacles.find(([pattern]) => pattern.test(path))?.[1];
}

/** `:id`, as other gateways write `{id}`: hardly any request is meant to have those characters. */
export function colonSegment(path: string): string | undefined {
  return /(?<=\/):[A-Za-z_]\w*(?=\/|$)/.exec(path)?.[0];
}
