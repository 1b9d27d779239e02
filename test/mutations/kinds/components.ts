// Mistakes in the names of components and their fields.

import { type Kind, lineAt, linesAround, replaced, slip } from "../mutation.ts";

const connector = "kafka|nats|mqtt|http_server|http_client|websocket_server|broker";

export const components: readonly Kind[] = [
  replaced("component misspelt", new RegExp(`\\b(?:${connector})(?="?: ?(?:\\{|$|&))`), ({ match }) =>
    slip(match[0]),
  ),
  replaced("processor misspelt", /(?<=[-{] "?)(?:mapping|mutation|switch|branch|http)(?="?:)/, ({ match }) =>
    slip(match[0]),
  ),
  replaced(
    "component of another product",
    new RegExp(`\\b(?:${connector})(?=: ?(?:\\{|$))`),
    () => "rabbitmq",
  ),
  replaced(
    "field of a component misspelt",
    /\b(?:addresses|topics?|urls|subject|consumer_group|client_id|allowed_verbs|timeout|rate_limit|stream_path|retries)(?="?: )/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "field of a processor misspelt",
    /\b(?:cases|check|processors|request_map|result_map|fallthrough)(?="?:)/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "key of a stream misspelt",
    /(?<=^ *)"?(?:input|output|pipeline|error_handling)(?="?:)/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "one topic where several are read",
    /(?<=input[\s\S]{0,60}kafka: \{[^}\n]*)\btopics(?=: )/,
    () => "topic",
  ),
  replaced(
    "several topics where one is written",
    /(?<=output[\s\S]{0,60}kafka: \{[^}\n]*)\btopic(?=: )/,
    () => "topics",
  ),
  replaced(
    "required field missing",
    /(?<=(?:kafka|nats|mqtt): \{ *)(?:addresses|urls): \[[^\]\n]*\], /,
    () => "",
  ),
  replaced(
    "topic missing",
    /(?<=(?:kafka|nats|mqtt): \{(?!<<)[^}\n]*), (?:topics?|subject): (?:\[[^\]\n]*\]|[\w.]+)(?=[,} ])/,
    () => "",
  ),
  replaced(
    "two components in one place",
    new RegExp(`(?<=(?:input|output): \\{ )(?=(?:${connector}): )`),
    () => "stdin: {}, ",
  ),
  replaced(
    "component named by `type`",
    new RegExp(`(?<=(?:input|output): )\\{ (${connector}): \\{`),
    ({ match }) => `{ type: ${match[1]}, fields: {`,
  ),
  replaced("processors not in a list", /(?<=processors: )\[(\{.*\})\](?= *\}? *$)/, ({ match }) => match[1]),
  replaced(
    "dash of a processor forgotten",
    // Reported at this line, or at the line of the next dash.
    /^( +)- (?=(?:mapping|switch|branch|http|mutation):)/,
    (found) => ({
      text: `${found.match[1]}  `,
      lines: [...linesAround(found, -1, 1), nextWith(found.text, found.match, `${found.match[1]}- `)],
    }),
    /\.yaml$/,
  ),
];

/** Returns the number of the next line that starts with the same text. */
function nextWith(text: string, { index }: RegExpExecArray, start: string): number {
  const line = lineAt(text, index);
  const rest = text.split("\n").slice(line);
  return line + 1 + rest.findIndex((each) => each.startsWith(start));
}
