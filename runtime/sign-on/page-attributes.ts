// What a page knows of single sign-on, in the document itself.

import { escapeText } from "../oauth/authorization-page.ts";

/** What the door of a page offers. */
export interface DoorOffer {
  /** What people call the provider. */
  readonly name: string;
  /** Whether the other ways in are open, too. */
  readonly passwords: boolean;
}

/** The document of a page, whose script reads these attributes of its place. */
export function withSignOn(html: string, { name, passwords }: DoorOffer): string {
  const attributes = `data-sign-on="${escapeText(name)}"${passwords ? "" : ' data-only="sign-on"'}`;
  return html.replace('<div id="app">', () => `<div id="app" ${attributes}>`);
}
