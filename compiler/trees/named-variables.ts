// Variables in a text by name: `$gw_context.NAME`, `$gw_meta.NAME`, `$secret_env.NAME`, and their vendor spellings.
// Fields and scripts use these rules to read them. Reading does not report anything.

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

/** `$gw_context.headers_X_Tenant`: filled in by the request for which a stream instance is created. */
export interface RequestPart {
  readonly kind: "Request";
  readonly source: RequestVariableSource;
  readonly name: string;
  readonly span: Span;
}

/** `$secret_vault.brokers`, `$gw_kontext.path`: looks like a variable, but its source does not exist. */
export interface UnknownVariable {
  readonly kind: "Unknown";
  readonly written: string;
  readonly span: Span;
}

export type NamedVariable = EnvironmentVariable | RequestPart | UnknownVariable;

/** A valid name in `${…}` and after `$secret_env.`. */
export const environmentName = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/** The source of a regular expression for everything that looks like a variable with a name. */
export const namedVariable = `\\$secret_[a-z]+\\.[A-Za-z0-9_.-]*|${requestVariable}`;

const anyVariable = new RegExp(namedVariable, "g");

/** The sources of request variables, by the word in the document. */
const requestSources: Readonly<Record<string, RequestVariableSource | undefined>> = {
  context: "context",
  meta: "meta",
};

/** Returns the variable `matched` at `start` of `source`. Its span ends with its name. */
export function readVariable(matched: string, source: SourceText, start: number): NamedVariable {
  // A variable may be followed by punctuation of a sentence or path: names do not end with punctuation.
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

/** Returns a variable of a `store` such as `gw_context` or `secret_env`; `undefined` if the store does not exist. */
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

/** Returns every variable in a text, in order. `offset`: the start of the text in `source`. */
export function variablesIn(text: string, source: SourceText, offset: number): readonly NamedVariable[] {
  if (!text.includes("$")) return [];
  return [...text.matchAll(anyVariable)].map((found) => readVariable(found[0], source, offset + found.index));
}

/** Reports a variable whose source does not exist. */
export function reportUnknownVariable({ written, span }: UnknownVariable, report: Report): void {
  if (written.startsWith("$secret_")) report("GW4160", span, { written });
  else {
    const source = written.slice(0, written.indexOf("."));
    report("GW4272", { ...span, end: span.start + source.length }, { source });
  }
}

/** Returns the variable as documents write it. */
export function printVariable(
  variable: NamedVariable | Pick<RequestPart, "kind" | "source" | "name">,
): string {
  if (variable.kind === "Unknown") return variable.written;
  return variable.kind === "Variable"
    ? `$secret_env.${variable.name}`
    : `$gw_${variable.source}.${variable.name}`;
}

/** Reports variables in a key: keys are taken literally, and no values are inserted. */
export function reportVariablesInKey(
  { key, keySpan }: { readonly key: string; readonly keySpan: Span },
  report: Report,
): void {
  for (const variable of variablesIn(key, keySpan.source, keySpan.start))
    report("GW4380", keySpan, { name: printVariable(variable), place: "key" });
}
