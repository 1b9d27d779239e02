// The numbers by which jsonc-parser's scanner names tokens and errors. Its own names are `const enum`s,
// which exist for the type-checker only and cannot be used where types are merely erased.

export const tokenKind = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  blank: 15,
  unknown: 16,
  end: 17,
} as const;

export const scanError = {
  none: 0,
  unclosedComment: 1,
  unclosedString: 2,
  unfinishedNumber: 3,
  badUnicode: 4,
  badEscape: 5,
  badCharacter: 6,
} as const;
