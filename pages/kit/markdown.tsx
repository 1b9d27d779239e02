// Renders Markdown as elements: CommonMark with tables, parsed by marked. HTML markup is shown as text, images as their
// alternative text, and links may only lead to the web and to e-mail addresses.

import { Lexer, lexer, type Token, type Tokens } from "marked";
import { type ComponentChildren, h } from "preact";
import { t } from "./messages.ts";

/** Shows a text. Its headings begin one level below that of the view. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="text">{blocks(lexer(text))}</div>;
}

/** Shows a text inline: emphasis, code and links. */
export function InlineMarkdown({ text }: { readonly text: string }) {
  return <>{inline(Lexer.lexInline(text))}</>;
}

/** The heading level of the view. */
const levelOfView = 1;

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token} />);
}

function Block({ token: given }: { readonly token: Token }): ComponentChildren {
  // Without extensions, only tokens of CommonMark and tables occur.
  const token = given as Tokens.Generic & { type: string };
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return h(`h${Math.min(6, Number(token.depth) + levelOfView)}`, {}, inline(token.tokens));
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "code":
      return <pre class="code">{token.text}</pre>;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return <List list={token as Tokens.List} />;
    case "table":
      return <Cells table={token as Tokens.Table} />;
    case "text":
      return token.tokens === undefined ? plain(token.text) : inline(token.tokens);
    default:
      return <p>{token.raw}</p>;
  }
}

function List({ list: { ordered, start, items } }: { readonly list: Tokens.List }) {
  const entries = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <input type="checkbox" disabled checked={item.checked === true} aria-label={t("kit.done")} />
      )}
      {blocks(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
}

function Cells({ table: { header, rows } }: { readonly table: Tokens.Table }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index} scope="col">
                {inline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map(({ tokens }, column) => (
                <td key={column}>{inline(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token, index) => <Inline key={index} token={token} />);
}

function Inline({ token: given }: { readonly token: Token }): ComponentChildren {
  const token = given as Tokens.Generic & { type: string };
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return null;
    case "link":
      return isOutside(token.href) ? (
        <a href={token.href} rel="noreferrer">
          {inline(token.tokens)}
        </a>
      ) : (
        inline(token.tokens)
      );
    case "image":
      return <>{token.text}</>;
    case "escape":
    case "text":
      return token.tokens === undefined ? plain(token.text) : inline(token.tokens);
    default:
      return <>{token.raw}</>;
  }
}

/** Whether an address is a web or e-mail address. */
function isOutside(address: string): boolean {
  return ["http:", "https:", "mailto:"].includes(URL.parse(address)?.protocol ?? "");
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  ndash: "–",
  mdash: "—",
};

/** Replaces known character references in a text; unknown ones stay. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? all) : all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
