// Text of documents as TypeScript literals: the only door through which it reaches emitted code.

/** A double-quoted literal that no text can leave, even inside a `<script>` element of a page. */
export function quoteText(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replace(/<(?=[/!])/g, "\\u003c");
}

/** Text between the backticks of a template literal. */
export function quoteTemplate(text: string): string {
  return quoteText(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** Whether an object literal can have this key, and a read this name, without quotes. */
export function isPropertyName(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(text);
}
