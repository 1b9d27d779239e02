// Highlights the mapping language in an editor, as far as possible without semantic information. The language
// server provides the rest.

import { StreamLanguage } from "@codemirror/language";

const keywords = /^(?:if|else|match|import|from|map|let|meta|root|this|true|false|null)\b/;

/** A tokenizer for mappings. */
export const mappingLanguage = StreamLanguage.define<{ isText: boolean }>({
  name: "mapping",
  startState: () => ({ isText: false }),
  token(stream, state) {
    if (state.isText) {
      if (stream.match('"""')) state.isText = false;
      else if (!stream.skipTo('"""')) stream.skipToEnd();
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match('"""')) {
      state.isText = true;
      return "string";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?/i)) return "number";
    if (stream.match(keywords)) return "keyword";
    if (stream.match(/^[$@]\w*/)) return "variableName";
    if (!stream.match(/^\w+/)) stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});
