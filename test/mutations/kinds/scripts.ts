// Slips in the text of mappings.

import { type Kind, linesAround, replaced, slip } from "../mutation.ts";

const script = String.raw`(?:root|let|this|meta)\b`;

export const scripts: readonly Kind[] = [
  replaced(
    "quote of a text not closed in a mapping",
    new RegExp(`(?<=^ +${script}[^"\\n]*"[^"\\\\\\n]*)"(?=[^"\\n]*$)`),
    () => "",
  ),
  replaced("parenthesis not closed", new RegExp(`(?<=^ +${script}.*)\\)$`), (found) => ({
    text: "",
    lines: linesAround(found, 1),
  })),
  replaced("parenthesis too many", new RegExp(`(?<=^ +${script}.*)\\)$`), () => "))"),
  replaced("brace of an `if` not opened", /(?<=^ +(?:root|let).*= if [^{\n]*)\{/, (found) => ({
    text: "",
    lines: linesAround(found, 1),
  })),
  replaced("brace of a `match` not closed", /(?<=^ +_ => .*\n +)\}/, (found) => ({
    text: "",
    lines: linesAround(found, 1, -1),
  })),
  replaced("arrow of a lambda missing", /(?<=\(\w+ )-> /, () => ""),
  replaced("arrow of another language", /(?<=\(\w+ )->/, () => "=>"),
  replaced("arrow of a case missing", /(?<=^ +(?:"\w+"|_|null|this\b.*) )=> /, () => ""),
  replaced("assignment for a comparison", /(?<=(?:if|check:) \(?(?:this|\$|@|meta)[^\n{]*) == /, () => " = "),
  replaced("no blanks around an assignment", /(?<=^ +root\.\w+) = /, () => "="),
  replaced("assignment without a value", /(?<=^ +root\.\w+ = )(?:this|\$|")\S+$/, (found) => ({
    text: "",
    lines: linesAround(found, 1),
  })),
  replaced(
    "text in single quotes",
    new RegExp(`(?<=^ +${script}[^"'\\n]*)"([^"\\\\\\n]*)"`),
    ({ match }) => `'${match[1]}'`,
  ),
  replaced("`and` for `&&`", / && /, () => " and "),
  replaced("`or` for `||`", / \|\| /, () => " or "),
  replaced("`not` for `!`", /(?<=[= (])!(?=this)/, () => "not "),
  replaced("semicolon at the end", /(?<=^ +root\.\w+ = .*(?:\w|\)|[^"]"))$/, () => ";"),
  replaced("operator missing", new RegExp(`(?<=^ +${script}.*[\\w)]) [+*] (?=[\\w$])`), () => " "),
  replaced(
    "keyword misspelt",
    /(?<=^ +(?:root|let).*= )(?:match|if)(?= )|^( +)let(?= \w+ =)/,
    ({ match }) => {
      const word = match[0].trim();
      return match[0].replace(word, word === "if" ? "fi" : slip(word));
    },
  ),
  replaced("comment of another language", new RegExp(`(?<=^ +)# (?=[A-Z].*\\n +${script})`), () => "// "),
];
