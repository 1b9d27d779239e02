// A message as people are shown it: bounded, as text, without secrets.

import { parseJsonText, printJson } from "../../message/json.ts";
import type { Message } from "../../message/message.ts";
import { metadataText } from "../../message/metadata.ts";
import type { Value } from "../../message/value.ts";
import { redactValue, replacement } from "./redact.ts";
import type { Sample } from "./sample.ts";

/** Bytes of a message that is looked into; of a larger one nothing is shown, as its secrets would not be found. */
const largest = 256 * 1024;
/** Characters that are shown of a message. */
const longest = 4096;
/** Characters that are shown of a metadata value, and how many of them. */
const longestMetadata = 256;
const mostMetadata = 50;

/** A message that was written at `at`, in milliseconds since 1970. */
export function describeMessage(
  message: Message,
  { at, isDeadLetter }: { readonly at: number; readonly isDeadLetter: boolean },
  isSecret: (name: string) => boolean,
): Sample {
  const bytes = message.bytes();
  const text = bytes.length > largest ? "" : textOf(message, bytes, isSecret);
  const content = storable(text.slice(0, longest));
  const isCut = text.length > longest || (text === "" && bytes.length > 0);
  const entries = [...message.metadata].slice(0, mostMetadata).map(([name, value]) => {
    const shown = isSecret(name) ? replacement : readable(metadataText(redactValue(value, isSecret)));
    return [storable(name.slice(0, longestMetadata)), storable(shown.slice(0, longestMetadata))];
  });
  const metadata: Readonly<Record<string, string>> = Object.fromEntries(entries);
  return { at: new Date(at).toISOString(), content, isCut, size: bytes.length, metadata, isDeadLetter };
}

/** JSON with secrets replaced, also line by line; what holds none as it is. */
function textOf(message: Message, bytes: Uint8Array, isSecret: (name: string) => boolean): string {
  const document = message.document();
  if (document !== undefined) return textOfDocument(document, readable(bytes), isSecret);
  const text = readable(bytes);
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => redactLine(line, isSecret))
    .join("\n");
}

function redactLine(line: string, isSecret: (name: string) => boolean): string {
  const first = line.trimStart().charAt(0);
  const parsed = first === "{" || first === "[" ? parseJsonText(line) : undefined;
  return parsed !== undefined && "value" in parsed ? textOfDocument(parsed.value, line, isSecret) : line;
}

/** `written` is what it was read from. */
function textOfDocument(document: Value, written: string, isSecret: (name: string) => boolean): string {
  const redacted = redactValue(document, isSecret);
  return redacted === document ? written : printJson(redacted);
}

/** Empty for what is no UTF-8. */
function readable(text: string | Uint8Array): string {
  if (typeof text === "string") return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return "";
  }
}

/** Halves of characters, and the one that no store takes, become a sign of replacement. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
