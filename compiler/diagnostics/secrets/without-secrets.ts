// Removes the secrets of a document from texts about it.

import type { SourceFile, Span } from "../../source/source.ts";
import { hiddenRangesOf } from "./ranges.ts";

/** The placeholder for a secret. */
export const hiddenText = "•••";

/** Removes secrets from a text. */
export type Hide = (text: string) => string;

/** Returns a function that removes the secrets of the files of `spans` from texts about these places. */
export function hideSecretsOf(spans: readonly Span[]): Hide {
  const files = new Set(spans.map(({ source }) => source.file));
  const secrets = [...files].flatMap(secretsOf);
  const short = spans.flatMap(shortSecretsAt);
  if (secrets.length === 0 && short.length === 0) return (text) => text;
  return (text) => {
    let shown = text;
    for (const secret of secrets) {
      shown = hide(shown, secret);
      // Messages shorten long values.
      if (secret.length > cut && shown.includes("…"))
        shown = shown.replaceAll(secret.slice(0, cut), hiddenText);
    }
    for (const secret of short) shown = shown.replaceAll(secret, hiddenText);
    return shown;
  };
}

/**
 * Returns a function that removes the secrets of files from texts, except those of one or two letters. Files are
 * searched on the first call.
 */
export function hideSecretsIn(files: readonly SourceFile[]): Hide {
  let secrets: readonly string[] | undefined;
  return (text) => {
    secrets ??= files.flatMap(secretsOf);
    return secrets.reduce(hide, text);
  };
}

/** Hides a secret in a text. Short words that are a part of others, as `kafka` in `kafka_franz`, are not hidden there. */
function hide(text: string, secret: string): string {
  const isWord = secret.length <= cut && /^\w+$/.test(secret);
  if (!isWord || !text.includes(secret)) return text.replaceAll(secret, hiddenText);
  return text.replaceAll(new RegExp(`(?<!\\w)${secret}(?!\\w)`, "g"), hiddenText);
}

/** Returns the text of a file with a sign for each character of a secret, so that all offsets stay the same. */
export function textWithoutSecrets(file: SourceFile): string {
  let shown = file.text;
  for (const { start, end } of hiddenRangesOf(file)) {
    shown = shown.slice(0, start) + shown.slice(start, end).replaceAll(/\S/g, "•") + shown.slice(end);
  }
  return shown;
}

/** The number of letters that every message with a shortened value shows. */
const cut = 8;

/** The minimum length of a secret: shorter ones occur in other words by chance. */
const shortest = 3;

const known = new WeakMap<SourceFile, readonly string[]>();

/**
 * Returns the forms in which messages may show secrets: whole values, their lines and words, and the spelling in the
 * file.
 */
function secretsOf(file: SourceFile): readonly string[] {
  const found = known.get(file);
  if (found !== undefined) return found;
  const texts = hiddenRangesOf(file).map(({ start, end }) => file.text.slice(start, end));
  const secrets = new Set(texts.flatMap(partsOf).filter((part) => part.length >= shortest));
  for (const scheme of schemes) secrets.delete(scheme);
  for (const secret of secrets) if (isName(secret, file)) secrets.delete(secret);
  // The longest first: others may be a part of it.
  const sorted = [...secrets].toSorted((a, b) => b.length - a.length);
  known.set(file, sorted);
  return sorted;
}

/** Whether a secret is a plain word that also names a field or a component of the document, as `kafka`. */
function isName(secret: string, { text }: SourceFile): boolean {
  if (!plainWord.test(secret)) return false;
  return new RegExp(`(?<![\\w.-])${secret}["']?:(?=\\s)`).test(text);
}

const plainWord = /^[a-z_]{1,40}$/;

/** Words that appear with credentials and are no secrets. */
const schemes = [
  "Bearer",
  "bearer",
  "Basic",
  "basic",
  "Digest",
  "token",
  "true",
  "false",
  "null",
  "this",
  "root",
];

function partsOf(text: string): readonly string[] {
  const whole = text.trim();
  const unquoted = whole.replaceAll(/^["']|["']$/g, "");
  const decoded = unquoted.replaceAll(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g, (_, wide, narrow) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
  const words = whole.split(/[\s,[\]{}"']+/).filter((word) => word.length > 5 && !/^[\w-]+:$/.test(word));
  const lines = whole.split(/\r?\n/).map((line) => line.trim());
  const doubled = unquoted.replaceAll("''", "'").replaceAll('\\"', '"');
  const all = [whole, unquoted, decoded, doubled, ...lines, ...words];
  return [...all, ...all.map((part) => JSON.stringify(part).slice(1, -1))];
}

/**
 * Returns the secrets at a place that are too short or too common to be hidden elsewhere. They are hidden if a message
 * about the place quotes them.
 */
function shortSecretsAt(span: Span): readonly string[] {
  const { file } = span.source;
  const from = span.source.offsetInFile(span.start);
  const to = span.source.endInFile(Math.max(span.start, span.end - 1));
  return hiddenRangesOf(file)
    .filter(({ start, end }) => start < to && end > from)
    .map(({ start, end }) =>
      file.text
        .slice(start, end)
        .trim()
        .replaceAll(/^["']|["']$/g, ""),
    )
    .filter((secret) => secret !== "" && (secret.length < shortest || plainWord.test(secret)))
    .flatMap((secret) => [`\`${secret}\``, `"${secret}"`]);
}
