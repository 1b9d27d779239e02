import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";
import { projectRoot } from "../harness/directories.ts";

const require = createRequire(import.meta.url);
const syntaxes = join(projectRoot, "editor/vscode/syntaxes");
const injected = ["source.yaml.blobl-fields", "source.yaml.blobl-interpolations"];

/** The grammars of the extension by their scopes, and VS Code's own grammar of YAML. */
const files: Readonly<Record<string, string>> = {
  "source.blobl": join(syntaxes, "blobl.tmLanguage.json"),
  "source.yaml.blobl-fields": join(syntaxes, "yaml-fields.tmLanguage.json"),
  "source.yaml.blobl-interpolations": join(syntaxes, "yaml-interpolations.tmLanguage.json"),
  "source.yaml": require.resolve("tm-grammars/grammars/yaml.json"),
};

/** A part of a line, and its scopes from the outermost to the innermost. */
export interface ScopedToken {
  readonly text: string;
  readonly scopes: readonly string[];
}

/** Returns the tokens of each line of a text, like VS Code. */
export type Tokenizer = (text: string, language: "source.blobl" | "source.yaml") => Promise<ScopedToken[][]>;

/** Loads the engine and the grammars that VS Code uses. */
export async function startTokenizer(): Promise<Tokenizer> {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = files[scope];
      return file === undefined ? null : textmate.parseRawGrammar(readFileSync(file, "utf8"), file);
    },
    getInjections: (scope) => (scope === "source.yaml" ? injected : undefined),
  });
  return async (text, language) => {
    const grammar = await registry.loadGrammar(language);
    if (grammar === null) throw new Error(`there is no grammar of ${language}`);
    let stack = textmate.INITIAL;
    return text.split("\n").map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
      stack = ruleStack;
      return tokens.map(({ startIndex, endIndex, scopes }) => ({
        text: line.slice(startIndex, endIndex),
        scopes,
      }));
    });
  };
}
