// The text for callers about a failed message, without terms of a programming language.

/** Phrases of the reference's language and its libraries, and what they mean. No phrase matches what another one gives. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /unable to reference message as structured \(with '([^']*)'\): (?:parse as json: )?/g,
    "`$1` needs a message that is JSON: ",
  ],
  [/\bstrconv\.\w+: parsing "/g, '"'],
  [/": invalid syntax/g, '" is not a number'],
  [/": value out of range/g, '" is out of range'],
  [/\bparse as json: /g, "not JSON: "],
  [/\btarget message part does not exist/g, "the message is empty"],
  [/\binvalid character '/g, "unexpected character '"],
  [/ looking for beginning of value/g, " where a value has to begin"],
  [/ looking for beginning of object key string/g, " where the name of a field has to begin"],
  [/ after object key:value pair/g, " after a field, where `,` or `}` has to follow"],
  [/ after object key/g, " after the name of a field, where `:` has to follow"],
  [/ after array element/g, " after an element, where `,` or `]` has to follow"],
  [/ in string literal/g, " in a text, where it has to be escaped"],
  [/ in string escape code/g, " in a text after `\\`"],
  [/ in \\u hexadecimal character escape/g, " in a text after `\\u`"],
  [/ after decimal point in numeric literal/g, " after the decimal point of a number"],
  [/ in numeric literal/g, " in a number"],
  [/ in exponent of numeric literal/g, " in the exponent of a number"],
  [/ in literal (\w+) \(expecting '(\w)'\)/g, " in `$1`, where `$2` has to follow"],
  [/\bmessage contains multiple valid documents/g, "something follows after the value"],
  [/\bunexpected EOF\b/g, "the text ends too early"],
  [/(^|: )EOF$/g, "$1the text is empty"],
  [/\b(?:net\/url|crypto\/bcrypt|encoding\/hex): /g, ""],
  [/ decoding interface\{\}/g, ""],
  [/\bredis: nil\b/g, "redis: no value"],
  [/<nil>/g, "null"],
];

/** The text of a failure for callers, where the reference's text is in the words of a programming language. */
export function plainWords(text: string): string {
  return phrases.reduce((words, [phrase, plain]) => words.replace(phrase, plain), text);
}
