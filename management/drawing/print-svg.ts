// Shapes as the text of an SVG document.

import type { Shape } from "./picture.ts";

/** The text of a picture. Whatever comes from documents is escaped. */
export function printSvg({ name, attributes, inside }: Shape): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeMarkup(String(value))}"`,
  );
  const held = typeof inside === "string" ? escapeMarkup(inside) : inside.map(printSvg).join("");
  return `<${name}${written.join("")}>${held}</${name}>`;
}

/** A text for XML and HTML. Control characters, which XML has no way to write, become a sign of replacement. */
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
