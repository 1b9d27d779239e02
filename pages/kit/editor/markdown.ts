// Renders the Markdown of a language server as elements: paragraphs, code, emphasis. Everything else is shown as
// text, so that markup in a document never becomes part of the page.

/** Returns the elements for a text. Links are shown as their text, so that nothing leads away from the page. */
export function markdownElements(markdown: string): HTMLElement {
  const root = document.createElement("div");
  root.className = "said";
  for (const [at, part] of markdown.split(/^```.*$/m).entries()) {
    if (at % 2 === 1) {
      const code = document.createElement("pre");
      code.textContent = part.replace(/^\n|\n$/g, "");
      root.append(code);
      continue;
    }
    for (const paragraph of part.split(/\n{2,}/)) {
      if (paragraph.trim() === "") continue;
      const element = document.createElement("p");
      element.append(...inline(paragraph.trim()));
      root.append(element);
    }
  }
  return root;
}

function inline(text: string): readonly (Node | string)[] {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/);
  return parts.flatMap((part): readonly (Node | string)[] => {
    if (/^`.+`$/.test(part)) return [element("code", part.slice(1, -1))];
    if (/^\*\*.+\*\*$/.test(part)) return [element("strong", part.slice(2, -2).replaceAll("`", ""))];
    const link = /^\[([^\]]+)\]\([^)]+\)$/.exec(part);
    return [link?.[1] ?? part];
  });
}

function element(name: "code" | "strong", text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
