// Mistakes that only the types of values show.

import { type Declared, declarationsOf } from "../declared-names.ts";
import {
  type Change,
  type CorrectDocument,
  type Found,
  type Kind,
  lineAt,
  linesWith,
  replaced,
  slip,
} from "../mutation.ts";

function declared(document: CorrectDocument, name: string | undefined): Declared | undefined {
  return declarationsOf(document).properties.get(name ?? "");
}

function isOnly(field: Declared | undefined, ...types: readonly string[]): boolean {
  return (
    field !== undefined && field.types.size > 0 && [...field.types].every((type) => types.includes(type))
  );
}

export const types: readonly Kind[] = [
  replaced("field of the message misspelt", /(?<=\bthis\.)[a-z_]{3,}\b(?!\()/, ({ match }, document) =>
    declared(document, match[0]) === undefined ? undefined : slip(match[0]),
  ),
  replaced(
    "field of an element misspelt",
    /(?<=\b\1 -> [^\n]*\b(\w+)\.)[a-z_]{3,}\b(?!\()/,
    ({ match }, document) => (declared(document, match[0]) === undefined ? undefined : slip(match[0])),
  ),
  replaced("field in the wrong case", /(?<=\bthis\.)[a-z_]{3,}\b(?!\()/, ({ match }, document) =>
    declared(document, match[0]) === undefined
      ? undefined
      : match[0].replace(/^./, (letter) => letter.toUpperCase()),
  ),
  replaced(
    "field that the schema has not",
    /(?<=\bthis\.)[a-z_]{3,}\b(?=$| [-+*/]| ==| \})/,
    ({ match }, document) => (declared(document, match[0]) === undefined ? undefined : "weather"),
  ),
  replaced(
    "number compared with a text",
    /(?<=\bthis\.(?:\w+\.)*(\w+) (?:>=|<=|<|>) )\d+/,
    ({ match }, document) =>
      isOnly(declared(document, match[1]), "integer", "number") ? `"${match[0]}"` : undefined,
  ),
  replaced("text compared with a number", /(?<=\bthis\.(?:\w+\.)*(\w+) == )"\w+"/, ({ match }, document) =>
    isOnly(declared(document, match[1]), "string") ? "1" : undefined,
  ),
  replaced("value of an enum misspelt", /(?<=\bthis\.\w+ == ")\w+(?=")/, ({ match }, document) =>
    declarationsOf(document).literals.has(match[0]) ? slip(match[0]) : undefined,
  ),
  replaced("value of an enum misspelt in a case", /(?<=^ +")\w+(?=" =>)/, ({ match }, document) =>
    declarationsOf(document).literals.has(match[0]) ? slip(match[0]) : undefined,
  ),
  replaced(
    "topic misspelt in a comparison",
    /(?<=(?:@kafka_topic|meta\("kafka_topic"\)) == ")[\w.]+(?=")/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "topic misspelt in a case",
    /(?<=match @kafka_topic \{\n(?: +".*\n)* +")[\w.]+(?=")/,
    ({ match }) => slip(match[0]),
  ),
  replaced("case written twice", /^( +"\w+" => .*\n)/, ({ match, text }) => ({
    text: `${match[0]}${match[0]}`,
    lines: [lineAt(text, match.index) + 1],
  })),
  replaced(
    "case for all others written first",
    /(?<=match [^{\n]*\{\n)(?=( +)"\w+" => )/,
    ({ match, text }) => ({
      text: `${match[1]}_ => null\n`,
      lines: [lineAt(text, match.index + 1) + 1, lineAt(text, match.index + 1) + 2],
    }),
  ),
  replaced(
    "no fallback for an optional field",
    /\(this\.(\w+) \| [^()\n]+\)(?= [-+*/><]|\.)/,
    ({ match }, document) =>
      declared(document, match[1])?.required === false ? `this.${match[1]}` : undefined,
  ),
  replaced(
    "no `.or()` for an optional field",
    /(?<=\bthis\.(\w+))\.or\([^()\n]*\)(?= [-+*/]|\.)/,
    ({ match }, document) => (declared(document, match[1])?.required === false ? "" : undefined),
  ),
  replaced("condition that is no bool", /(?<=\b(?:if|check:) this\.(\w+)) == "\w+"/, ({ match }, document) =>
    isOnly(declared(document, match[1]), "string") ? "" : undefined,
  ),
  replaced("sum of text and number", /(?<=this\.(\w+)) [*/] (?=\d)/, ({ match }, document) =>
    isOnly(declared(document, match[1]), "integer", "number") ? ".string() * " : undefined,
  ),
  replaced("method of text on a number", /(?<=\bthis\.(\w+))(?= [*+/] )/, ({ match }, document) =>
    isOnly(declared(document, match[1]), "integer", "number") ? ".trim()" : undefined,
  ),
  replaced(
    "method of arrays on a text",
    /(?<=\bthis\.(\w+)\.)(?:uppercase|lowercase|trim)(?=\(\))/,
    ({ match }, document) => (isOnly(declared(document, match[1]), "string") ? "sum" : undefined),
  ),
  replaced(
    "field of a text",
    /(?<=\bthis\.(\w+))(?=\.(?:uppercase|lowercase|trim)\(\))/,
    ({ match }, document) => (isOnly(declared(document, match[1]), "string") ? ".value" : undefined),
  ),
  replaced("field of an array", /(?<=\bthis\.(\w+))\.map_each\(\w+ -> \w+\.(\w+)\)/, ({ match }, document) =>
    isOnly(declared(document, match[1]), "array") ? `.${match[2]}` : undefined,
  ),
  replaced(
    "type swapped in the schema",
    /(?<=(?:^ +|\{ )([a-z_]+): \{ type: )(?:number|integer)\b(?!, enum)/,
    ({ match, text }) => {
      // Told where the field is counted with, or at the output that wants a number.
      const name = match[1];
      const lines = linesWith(text, new RegExp(`^(?!.*catch).*(?:\\.${name} [-*/]|[-*/] \\w+\\.${name}\\b)`));
      const others = linesWith(text, /^ +(?:mqtt|kafka|http_client):/);
      return lines.length === 0 ? undefined : { text: "string", lines: [...lines, ...others] };
    },
  ),
  replaced("division by zero", /(?<=\w\)? \/ )\d+(?=$|\n)/, () => "0"),
  replaced(
    "result of another type than declared",
    /(?<=^ +root\.(\w+) = )(?:this\.[\w.]+|\$\w+)$/,
    (found, document) =>
      isOnly(requiredResult(found.match[1], document), "string", "number", "integer")
        ? toldAtResult("[]", found)
        : undefined,
  ),
  replaced(
    "field of the result misspelt",
    /(?<=^ +root\.)(\w{3,})(?= = )/,
    (found, document) =>
      requiredResult(found.match[1], document) && toldAtResult(slip(found.match[0]), found),
  ),
  replaced(
    "field of the result forgotten",
    /^ +root\.(\w+) = \S+$\n/,
    (found, document) => requiredResult(found.match[1], document) && toldAtResult("", found),
  ),
];

/** The field, where the output's schema requires it, so that it has to be right. */
function requiredResult(name: string | undefined, document: CorrectDocument): Declared | undefined {
  const field = declared(document, name);
  const isClosed = /output:\n +schema:[\s\S]*additionalProperties: false/.test(
    document.files.get(document.entry) ?? "",
  );
  return isClosed && field?.required === true ? field : undefined;
}

/**
 * A result that does not fit is told where it is made, or at a later step that reads it; where several mappings
 * make it in turn, at the output.
 */
function toldAtResult(text: string, found: Found): Change {
  const [, name] = found.match;
  const elsewhere = new RegExp(
    `this\\.${name}\\b|^ +-? ?mapping:|^ +root = this|^ +(?:mqtt|kafka|http_client):`,
  );
  return { text, lines: (changed) => [lineAt(changed, found.match.index), ...linesWith(changed, elsewhere)] };
}
