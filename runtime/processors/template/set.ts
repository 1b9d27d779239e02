// The templates of a processor by name.

import { isBlankTemplate, parseTemplate } from "./parser.ts";
import type { TemplateText, TemplateTree } from "./syntax.ts";

/** The name of the template that a processor runs. */
export const mainTemplate = "main";

/**
 * Returns the templates of a text and of others by name, and those that they define. Throws a `TemplateSyntaxError`.
 * `parse`: replaces the parser, to handle its errors.
 */
export function treesOf(
  text: string,
  others: Readonly<Record<string, { readonly text: string }>>,
  parse: (from: TemplateText) => readonly TemplateTree[] = parseTemplate,
): ReadonlyMap<string, TemplateTree> {
  const trees = new Map<string, TemplateTree>();
  const add = (name: string, written: string): void => {
    for (const tree of parse({ name, text: written }))
      if (!trees.has(tree.name) || !isBlankTemplate(tree)) trees.set(tree.name, tree);
  };
  add(mainTemplate, text);
  for (const [name, { text: written }] of Object.entries(others)) add(name, written);
  return trees;
}
