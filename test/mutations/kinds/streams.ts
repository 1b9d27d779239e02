// Mistakes in how streams, routes and settings fit together.

import {
  type Change,
  type Found,
  type Kind,
  lineAt,
  linesAround,
  linesWith,
  replaced,
  slip,
} from "../mutation.ts";

export const streams: readonly Kind[] = [
  replaced("path without its slash", /(?<=\b(?:path|stream_path|ws_path)"?: "?)\/(?=\w)/, () => ""),
  replaced(
    "route of another stream",
    /(?<=\bhttp_server: \{ path: )"?\/[\w/{}-]+"?(?=[\s\S]*?http_server: \{ path: "?(\/[\w/{}-]+))/,
    (found) => ({
      text: `${found.match[1]}`,
      lines: [
        lineAt(found.text, found.match.index),
        ...linesWith(found.text, new RegExp(`path: "?${escaped(found.match[1])}`)),
      ],
    }),
  ),
  replaced(
    "endpoint with a slash at its end",
    /(?<=http_server: \{ path: "?\/[\w/{}-]*\w)(?=[", ])/,
    (found, { entry }) => (isDeclared(found.text, entry) ? besideDeclared("/", found) : undefined),
  ),
  replaced("endpoint misspelt", /(?<=http_server: \{ path: "?\/)[\w-]+(?=[", ])/, (found) =>
    new RegExp(`^ {2}/${found.match[0]}:`, "m").test(found.text)
      ? besideDeclared(slip(found.match[0]), found)
      : undefined,
  ),
  replaced(
    "endpoint for other verbs than declared",
    /(?<=http_server: \{ path: "?\/([\w-]+)"?, allowed_verbs: \[)POST(?=\])/,
    ({ match, text }) => (new RegExp(`^ {2}/${match[1]}:`, "m").test(text) ? "DELETE" : undefined),
  ),
  replaced("case without processors", /(?<=^( +)- check: .*)\n\1 {2}processors: .*$/, () => ""),
  replaced(
    "fallthrough on the last case",
    /^( +)- processors: (?=\[)/,
    ({ match }) => `${match[1]}- fallthrough: true\n${match[1]}  processors: `,
  ),
  replaced("condition of a case forgotten", /^( +)- check: .*\n\1 {2}(?=\w[\s\S]*?\n\1- )/, ({ match }) => ({
    text: `${match[1]}- `,
    lines: (changed) => linesWith(changed, new RegExp(`^${match[1]}- `)),
  })),
  replaced("poll without a pause", /^ +rate_limit: \d.*\n/, ({ text }) => ({
    text: "",
    lines: linesWith(text, /http_client:/),
  })),
  replaced(
    "session to keep, without a client id",
    /^ +client_id: .*\n( +clean_session: false)/,
    ({ match, text }) => ({
      text: match[1] ?? "",
      lines: [lineAt(text, match.index), lineAt(text, match.index) - 1],
    }),
  ),
  replaced(
    "one client id at one broker",
    /(?<=client_id: )[\w-]+(?=[\s\S]*client_id: ([\w-]+))/,
    ({ match, text }) =>
      match[0] === match[1] ? undefined : { text: `${match[1]}`, lines: linesWith(text, /client_id: /) },
  ),
  replaced("address of the portal forgotten", /(?<=portal_webhook: \{.*), portal_url: "[^"]*"/, () => ""),
  replaced("dead letters without an output", /(?<=strategy"?: "?)(?:reject|none)/, () => "dead_letter"),
  replaced("pings too late", /(?<=ping_period: )10s(?=, pong_wait)/, () => "45s"),
  replaced("pattern of APIs that matches nothing", /(?<=^ {2}- )apis(?=\/\*)/, () => "api"),
  replaced(
    "rule that is not there",
    /(?<=^ {2})(?:vendor-spelling|unused-variable|possibly-null)(?=: )/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "setting of the gateway misspelt",
    /(?<=^)(?:streaming|listen|admin|error_handling|rules|limits)(?=:)/,
    ({ match }, { entry }) => (entry.startsWith("gateway") ? slip(match[0]) : undefined),
  ),
  replaced("suppression without a reason", /(?<=sluice-ignore [\w-]+):.*$/, () => ""),
  replaced("suppression of another code", /(?<=sluice-ignore )(?:GW\d+|[a-z-]+)/, (found) => ({
    text: "GW9876",
    lines: linesAround(found, 1),
  })),
  replaced("two APIs at one path", /(?<=listenPath"?: \{ "?value"?: "?)\/\w+\//, ({ file }, { files }) => {
    // If two APIs conflict, the second one is reported.
    const [first] = [...files].filter(([, text]) => text.includes("listenPath"));
    return first === undefined || first[0] === file
      ? undefined
      : /\/\w+\/(?=["} ])/.exec(first[1].slice(first[1].indexOf("listenPath")))?.[0];
  }),
];

/** Reported at the endpoint, or at the declared operation that no endpoint serves then. */
function besideDeclared(text: string, { match, text: whole }: Found): Change {
  return { text, lines: [lineAt(whole, match.index), ...linesWith(whole, /^ {2}\/[\w-]+:/)] };
}

/** Whether an OpenAPI document lists its paths, so that other paths are mistakes. */
function isDeclared(text: string, entry: string): boolean {
  return entry.startsWith("api") && /^paths:\n(?!x-| {2}\/echo)/m.test(text);
}

function escaped(path: string | undefined): string {
  return (path ?? "").replace(/[{}.]/g, "\\$&");
}
