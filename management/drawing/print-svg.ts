// Prints shapes as an SVG document.

import type { DrawnElement } from "./picture.ts";

/** Returns the text of a picture. Escapes all texts, because they come from documents. */
export function printSvg({ name, attributes, inside }: DrawnElement): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeMarkup(String(value))}"`,
  );
  const held = typeof inside === "string" ? escapeMarkup(inside) : inside.map(printSvg).join("");
  return `<${name}${written.join("")}>${held}</${name}>`;
}

/** Escapes a text for XML and HTML. Replaces control characters, which XML cannot represent. */
export function escapeMarkup(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;")
  );
}
