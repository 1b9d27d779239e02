// Placeholders of shells, template engines and other gateways for variables of the environment, and what they are here.

const name = String.raw`["']?[A-Za-z_][\w-]*["']?`;
const path = String.raw`[.$]{0,2}(?:[A-Za-z_]\w*\.)*${name}`;
const upper = "[A-Z][A-Z\\d_]*";

/** Each finds one kind of placeholder, with what it reads. None repeats within a repetition, so all are linear. */
const kinds: readonly string[] = [
  String.raw`\$?\{\{-?\s{0,9}(?:env\s{1,9})?(${path})\s{0,9}-?\}\}`,
  String.raw`<%=\s{0,9}(?:ENV\[)?(${path})\]?\s{0,9}%>`,
  // Within addresses `%C3%BA` encodes a character.
  String.raw`(?<![\w%])%([A-Z][A-Z\d_]{2,})%(?![\dA-F]{2})`,
  String.raw`(?<![\w$])\$\((${upper})\)`,
  String.raw`#\{(${upper})\}#?`,
  String.raw`(?<!\w)(?:get)?env\((${name})\)`,
  String.raw`(?<!\w)(?:\$env[.:]|process\.env\.)(${upper})(?![\w.])`,
  String.raw`(?<![\w$])\$(?!(?:SYS|JS|KV|O|SRV|G|MQTT)\b)(${upper})(?![\w.])`,
];

const anyPlaceholder = new RegExp(kinds.join("|"), "g");
const wholePlaceholder = new RegExp(`^(?:${kinds.join("|")})$`);

/** A placeholder within a text, such as `{{ .Values.broker }}`, `%BROKER%` and `$BROKER`. */
export function findPlaceholder(text: string): string | undefined {
  anyPlaceholder.lastIndex = 0;
  return anyPlaceholder.exec(text)?.[0] ?? /\{\{[^{}]+\}\}/.exec(text)?.[0];
}

/** Whether a text is a placeholder of a variable, and nothing else. Any text may stand in braces: see GW4028. */
export function isVariablePlaceholder(text: string): boolean {
  return wholePlaceholder.test(text);
}

/** Returns a text with references as they are written here in place of the placeholders. */
export function withReferences(text: string): string {
  return text.replaceAll(anyPlaceholder, (written, ...groups: (string | number | undefined)[]) => {
    const read = groups.slice(0, kinds.length).find((each) => each !== undefined);
    // A word at the beginning of an address is a host; elsewhere it may be meant as a field of the message.
    const variable = variableOf(String(read), groups[kinds.length] === 0);
    return variable === undefined ? written : `\${${variable}}`;
  });
}

/** Returns what a placeholder reads: the variable `BROKER_URL` for `.Values.brokerUrl`, or the query `this.id`. */
export function readBy(placeholder: string): string | undefined {
  const [, ...groups] = wholePlaceholder.exec(placeholder) ?? [];
  const read = groups.find((each) => each !== undefined) ?? "";
  return /^this(?:\.\w+)+$/.test(read) ? read : variableOf(read, false);
}

/**
 * Returns the variable that a placeholder reads; `undefined` if it may read the message. `isVariable`: a word in lower
 * case reads a variable, too.
 */
function variableOf(read: string, isVariable: boolean): string | undefined {
  const last = /(?:^|[.$])["']?([\w-]+)["']?$/.exec(read)?.[1] ?? "";
  const isMessage = /^(?:this|json|meta|content|root)\b/.test(read);
  if (last === "" || isMessage || !(isVariable || read.includes(".") || /^[A-Z][A-Z\d_]*$/.test(last)))
    return undefined;
  const words = last.replace(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll("-", "_");
  return words.toUpperCase();
}
