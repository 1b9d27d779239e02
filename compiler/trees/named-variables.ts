// Variables that stand in a text by name: `$gw_context.NAME`, `$gw_meta.NAME`, `$secret_env.NAME`, and their vendor
// spellings. Fields and scripts read them by these rules; nothing is reported here.

import {
  canonicalVariable,
  type RequestVariableSource,
  requestVariable,
} from "../../schemas/request-variable.ts";
import type { Report } from "../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../source/source.ts";

/** `${NAME}`, `${NAME:default}` and `$secret_env.NAME`: read when the gateway starts. */
export interface EnvironmentVariable {
  readonly kind: "Variable";
  readonly name: string;
  readonly fallback?: string;
  readonly span: Span;
}

/** `$gw_context.headers_X_Tenant`: filled by the request that a stream instance is made for. */
export interface RequestPart {
  readonly kind: "Request";
  readonly source: RequestVariableSource;
  readonly name: string;
  readonly span: Span;
}

/** `$secret_vault.brokers`, `$gw_kontext.path`: looks like a variable, and there is no such source. */
export interface UnknownVariable {
  readonly kind: "Unknown";
  readonly written: string;
  readonly span: Span;
}

export type NamedVariable = EnvironmentVariable | RequestPart | UnknownVariable;

/** A name that may stand in `${…}` and behind `$secret_env.`. */
export const environmentName = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/** What looks like a variable by name, as the source of a regular expression. */
export const namedVariable = `\\$secret_[a-z]+\\.[A-Za-z0-9_.-]*|${requestVariable}`;

const anyVariable = new RegExp(namedVariable, "g");

/** Where requests are read from, by the word of the document. */
const requestSources: Readonly<Record<string, RequestVariableSource | undefined>> = {
  context: "context",
  meta: "meta",
};

/** What `matched` at `start` of `source` stands for; its span ends where its name does. */
export function readVariable(matched: string, source: SourceText, start: number): NamedVariable {
  // A text may end its sentence, and a path may go on, after a variable: names do not end with punctuation.
  const trimmed = withoutPunctuation(matched);
  const written = trimmed.includes(".") ? trimmed : matched;
  const span = spanOf(source, start, start + written.length);
  const dot = written.indexOf(".");
  return (
    variableNamed(written.slice(1, dot), written.slice(dot + 1), span) ?? { kind: "Unknown", written, span }
  );
}

function withoutPunctuation(name: string): string {
  let end = name.length;
  while (end > 0 && /[.-]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** `store` is `gw_context`, `secret_env`; `undefined` where nothing is read from it. */
export function variableNamed(store: string, name: string, span: Span): NamedVariable | undefined {
  if (store.startsWith("secret_")) {
    return store === "secret_env" && environmentName.test(name)
      ? { kind: "Variable", name, span }
      : undefined;
  }
  const [, word = ""] = /^(?:gw|tyk)_(.*)$/.exec(store) ?? [];
  const source = Object.hasOwn(requestSources, word) ? requestSources[word] : undefined;
  return source && { kind: "Request", source, name: canonicalVariable(name), span };
}

/** Every variable in a text, in order; `offset` is where the text begins in `source`. */
export function variablesIn(text: string, source: SourceText, offset: number): readonly NamedVariable[] {
  if (!text.includes("$")) return [];
  return [...text.matchAll(anyVariable)].map((found) => readVariable(found[0], source, offset + found.index));
}

/** Reports a variable of a source that does not exist. */
export function reportUnknownVariable({ written, span }: UnknownVariable, report: Report): void {
  if (written.startsWith("$secret_")) report("GW4160", span, { written });
  else {
    const source = written.slice(0, written.indexOf("."));
    report("GW4272", { ...span, end: span.start + source.length }, { source });
  }
}

/** The variable as documents write it. */
export function printVariable(
  variable: NamedVariable | Pick<RequestPart, "kind" | "source" | "name">,
): string {
  if (variable.kind === "Unknown") return variable.written;
  return variable.kind === "Variable"
    ? `$secret_env.${variable.name}`
    : `$gw_${variable.source}.${variable.name}`;
}

/** Keys are what the author wrote: nothing is filled into them. */
export function reportVariablesInKey(
  { key, keySpan }: { readonly key: string; readonly keySpan: Span },
  report: Report,
): void {
  for (const variable of variablesIn(key, keySpan.source, keySpan.start))
    report("GW4380", keySpan, { name: printVariable(variable), place: "key" });
}
