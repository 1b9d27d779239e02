// Renders coloured text as a page: terminal output by its escape sequences, and source text by the scopes of a grammar.

import type { ScopedToken } from "../editor/scopes.ts";

/** Returns a page that shows only a text. */
export function pageOf(html: string): string {
  const style =
    "body{margin:0;background:#1e1e1e;color:#d4d4d4}pre{margin:0;padding:14px 18px;font:15px/1.42 'DejaVu Sans Mono',monospace}";
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><pre>${html}</pre>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function styled(text: string, style: string): string {
  return style === "" ? escapeHtml(text) : `<span style="${style}">${escapeHtml(text)}</span>`;
}

/** The colours of VS Code's theme "Dark+", by prefixes of scopes; the last match applies. */
const theme: readonly (readonly [scope: string, style: string])[] = [
  ["comment", "color:#6a9955"],
  ["string", "color:#ce9178"],
  ["constant.numeric", "color:#b5cea8"],
  ["constant.language", "color:#569cd6"],
  ["constant.character.escape", "color:#d7ba7d"],
  ["keyword.control", "color:#c586c0"],
  ["keyword.operator", "color:#d4d4d4"],
  ["keyword", "color:#569cd6"],
  ["storage", "color:#569cd6"],
  ["entity.name.function", "color:#dcdcaa"],
  ["support.function", "color:#dcdcaa"],
  ["entity.name.tag", "color:#569cd6"],
  ["variable", "color:#9cdcfe"],
  ["punctuation.definition.template-expression", "color:#569cd6"],
  ["meta.embedded", "color:#d4d4d4"],
  ["meta.template.expression", "color:#d4d4d4"],
];

/** Renders lines of tokens in the colours of their scopes. */
export function inColours(lines: readonly (readonly ScopedToken[])[]): string {
  const styleOf = ({ scopes }: ScopedToken): string => {
    for (const scope of [...scopes].reverse()) {
      const found = theme.find(([name]) => scope === name || scope.startsWith(`${name}.`));
      if (found !== undefined) return found[1];
    }
    return "";
  };
  return lines.map((tokens) => tokens.map((token) => styled(token.text, styleOf(token))).join("")).join("\n");
}

interface Look {
  readonly ink?: string;
  readonly ground?: string;
  readonly isBold?: boolean;
  readonly isUnderlined?: boolean;
  readonly isReversed?: boolean;
}

/** Renders terminal output, with the sequences that select colours (ECMA-48, SGR). */
export function fromTerminal(text: string): string {
  let look: Look = {};
  let html = "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
  for (const [part, codes] of text.trimEnd().matchAll(/\x1b\[([\d;:]*)m|[^\x1b]+|\x1b/g)) {
    if (codes === undefined) html += styled(part, styleOfLook(look));
    else look = changeLook(look, codes.split(/[;:]/).map(Number));
  }
  return html;
}

function styleOfLook({ ink, ground, isBold, isUnderlined, isReversed }: Look): string {
  const [front, back] = isReversed === true ? [ground ?? "#1e1e1e", ink ?? "#d4d4d4"] : [ink, ground];
  return [
    ...(front === undefined ? [] : [`color:${front}`]),
    ...(back === undefined ? [] : [`background:${back}`]),
    ...(isBold === true ? ["font-weight:bold"] : []),
    ...(isUnderlined === true ? ["text-decoration:underline"] : []),
  ].join(";");
}

function changeLook(before: Look, codes: readonly number[]): Look {
  let look = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) look = {};
    else if (code === 1) look = { ...look, isBold: true };
    else if (code === 4) look = { ...look, isUnderlined: true };
    else if (code === 7) look = { ...look, isReversed: true };
    else if (code === 22) look = { ...look, isBold: false };
    else if (code === 24) look = { ...look, isUnderlined: false };
    else if (code === 27) look = { ...look, isReversed: false };
    else if (code === 39) look = { ...look, ink: "#d4d4d4" };
    else if (code === 49) look = { ...look, ground: "#1e1e1e" };
    else if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5;
      const rgb = codes.slice(at + 2, at + 5).join(",");
      const colour = isIndexed ? indexed(codes[at + 2] ?? 0) : `rgb(${rgb})`;
      look = code === 38 ? { ...look, ink: colour } : { ...look, ground: colour };
      at += isIndexed ? 2 : 4;
    } else if ((code >= 30 && code < 38) || (code >= 90 && code < 98))
      look = { ...look, ink: indexed(code >= 90 ? code - 82 : code - 30) };
    else if ((code >= 40 && code < 48) || (code >= 100 && code < 108))
      look = { ...look, ground: indexed(code >= 100 ? code - 92 : code - 40) };
  }
  return look;
}

const first16 =
  "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff".split(
    " ",
  );

/** Returns one of the 256 numbered terminal colours: sixteen basic ones, a cube with six levels, and greys. */
function indexed(index: number): string {
  const named = first16[index];
  if (named !== undefined) return `#${named}`;
  if (index >= 232)
    return `rgb(${Array(3)
      .fill(8 + (index - 232) * 10)
      .join(",")})`;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join(",")})`;
}
