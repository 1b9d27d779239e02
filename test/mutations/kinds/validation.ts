// Mistakes about the validation of requests against the document, and about the upstreams of requests.

import { type Kind, replaced, slip } from "../mutation.ts";

export const validation: readonly Kind[] = [
  replaced("operation that is not there", /(?<=^ {6})\w+(?=: \{ validateRequest: )/, ({ match }) =>
    slip(match[0]),
  ),
  replaced("pattern that looks ahead", /(?<=pattern: '\^)(?=[^']*')/, ({ text }) =>
    text.includes("global: { validateRequest: { enabled: true } }") ? "(?!x)" : undefined,
  ),
  replaced("parameter beside other text", /(?<=^ {2}\/\w+\/)\{id\}(?=:$)/, ({ text }) =>
    text.includes("global: { validateRequest: { enabled: true } }")
      ? { text: "b-{id}", lines: (changed) => verbLines(changed) }
      : undefined,
  ),
  replaced("version of TLS that is none", /(?<=minVersion: ")1\.3/, () => "1.9"),
];

/** Returns the lines of the verbs of the operations below the first path, where the mistake is reported. */
function verbLines(text: string): readonly number[] {
  return text.split("\n").flatMap((line, index) => (/^ {4}(?:get|delete):/.test(line) ? [index + 1] : []));
}
