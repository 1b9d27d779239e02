// Document syntax: files that cannot be read as text, and what names files.

import { entry } from "../diagnostic.ts";
import { respellPart } from "../fixes/respell.ts";

const bytesOf = (limit: number): string =>
  limit >= 1024 * 1024 && limit % (1024 * 1024) === 0 ? `${limit / (1024 * 1024)} MB` : `${limit} bytes`;

export const fileEntries = {
  GW1001: entry<{ path: string; closest: string | undefined }>({
    slug: "file-not-found",
    severity: "error",
    message: (d) => `The file \`${d.path}\` does not exist.`,
    hint: (d) =>
      d.closest === undefined ? "Correct the path, or create the file." : `Did you mean \`${d.closest}\`?`,
    // Paths are written from the document, and the nearest file lies in the folder that was named.
    fix: (d, span) => respellPart(span, nameIn(d.path), d.closest && nameIn(d.closest)),
  }),
  GW1002: entry<{ path: string; reason: "folder" | "permission" | "other"; text: string }>({
    slug: "file-not-readable",
    severity: "error",
    message: (d) => {
      if (d.reason === "folder") return `\`${d.path}\` is a folder, not a document.`;
      if (d.reason === "permission") return `No permission to read the file \`${d.path}\`.`;
      return `The file \`${d.path}\` cannot be read: ${d.text}.`;
    },
    hint: (d) => {
      if (d.reason === "folder") return `Name the documents in it, such as \`${d.path}/*.yaml\`.`;
      return d.reason === "permission" ? "Change the permissions of the file." : undefined;
    },
  }),
  GW1003: entry<{ path: string; limit: number }>({
    slug: "file-too-large",
    severity: "error",
    message: (d) => `The file \`${d.path}\` is larger than ${bytesOf(d.limit)}.`,
    hint: () => "Split the document, and join the parts with `$ref`.",
  }),
  GW1004: entry<{ byte: number }>({
    slug: "not-utf-8",
    severity: "error",
    message: (d) => `The byte 0x${d.byte.toString(16).padStart(2, "0")} is not valid UTF-8.`,
    hint: () => "Save the file as UTF-8.",
  }),
  GW1005: entry<{ code: number }>({
    slug: "control-character",
    severity: "error",
    message: (d) => `Unexpected control character U+${d.code.toString(16).toUpperCase().padStart(4, "0")}.`,
    hint: () => 'Remove it, or write it as an escape in double quotes, such as `"\\x00"`.',
  }),
  GW1006: entry<{ path: string }>({
    slug: "empty-document",
    severity: "error",
    message: (d) => `The document \`${d.path}\` is empty.`,
    hint: () => "Write an OpenAPI document, or remove the file.",
  }),
  GW1007: entry<{ limit: number }>({
    slug: "too-deep",
    severity: "error",
    message: (d) => `Values are nested more than ${d.limit} levels deep.`,
    hint: () => "Move inner parts out, and refer to them with `$ref`.",
  }),
  GW1009: entry<{ path: string }>({
    slug: "file-listed-twice",
    severity: "warning",
    message: (d) => `The file \`${d.path}\` is listed twice.`,
    hint: () => "Remove one of the two, or name the file that was meant.",
  }),
  GW1008: entry<{ pattern: string }>({
    slug: "pattern-without-match",
    severity: "error",
    message: (d) => `No file matches the pattern \`${d.pattern}\`.`,
    hint: () => "Correct the pattern. It is relative to the file that contains it.",
  }),
};

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
