// Determines the width of text in a terminal, and makes text safe to print there. Widths follow Unicode's East Asian
// Width and general categories, with sufficient precision for underlining.

/** One character as displayed. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

const tabWidth = 4;

/** Returns the characters of a line from column 0. Tabs become blanks, and control characters become visible signs. */
export function toCells(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const char of line) {
    const cell = toCell(char, column);
    cells.push(cell);
    column += cell.width;
  }
  return cells;
}

/** Returns the number of columns that cells occupy. */
export function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

/** Returns text of a document without control sequences of terminals. */
export function toSafeText(text: string): string {
  return [...text].map((char) => (char === "\t" ? " " : (showControl(char) ?? char))).join("");
}

function toCell(char: string, column: number): Cell {
  if (char === "\t") {
    const width = tabWidth - (column % tabWidth);
    return { text: " ".repeat(width), width };
  }
  const shown = showControl(char);
  return shown === undefined ? { text: char, width: charWidth(char) } : { text: shown, width: 1 };
}

/** Returns a sign for a control or invisible character: an escape sequence in a document must not reach the terminal. */
function showControl(char: string): string | undefined {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  const isControl = (code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
  return isControl || isDirection(code) || invisible.has(code) ? "\ufffd" : undefined;
}

/** Characters of no width between which letters do not change: copied from pages, they make two names look alike. */
const invisible: ReadonlySet<number> = new Set([0xad, 0x200b, 0x2060, 0xfeff]);

/** Whether a character changes the direction of the text after it, which can hide code. */
function isDirection(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/** Ranges of characters that are two columns wide, as alternating `first, last`. */
const wide = [
  0x1100, 0x115f, 0x2e80, 0x303e, 0x3041, 0x33ff, 0x3400, 0x4dbf, 0x4e00, 0x9fff, 0xa000, 0xa4cf, 0xac00,
  0xd7a3, 0xf900, 0xfaff, 0xfe30, 0xfe6f, 0xff00, 0xff60, 0xffe0, 0xffe6, 0x20000, 0x3fffd,
];

function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(char)) return 0;
  if (/\p{Emoji_Presentation}/u.test(char)) return 2;
  for (let index = 0; index < wide.length; index += 2) {
    if (code >= (wide[index] ?? 0) && code <= (wide[index + 1] ?? 0)) return 2;
  }
  return 1;
}
