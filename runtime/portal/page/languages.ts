// The languages of the page: its document and messages in each language, and the choice of one for a browser.

import { brotliDecompressSync } from "node:zlib";
import { readCookie, writeCookie } from "../../http/cookies.ts";
import { pageDocument } from "../../http/page-document.ts";
import { type PageFile, packedFile, textFile } from "../../http/page-file.ts";
import type { Logger } from "../../process/log.ts";
import { RestAnswer, refusal, written } from "../../rest/answers.ts";
import type { RecordSchema, RestCaller } from "../../rest/operation.ts";
import { setLanguage } from "../developers/developers.ts";
import { usualPortalName } from "../documents/documents.ts";
import { pageMessages } from "../generated/page-files.ts";
import { chooseLanguage, type Languages, type MessageFile, textIn } from "../languages/languages.ts";
import { operation, type PortalOperation } from "../operation.ts";

const cookie = "portal_language";
/** Seconds. */
const keptFor = 365 * 24 * 60 * 60;
const html = "text/html; charset=utf-8";
const json = "application/json";

/** The headers that determine the language for a browser. */
interface ReaderHeaders {
  readonly "accept-language"?: string | undefined;
  readonly cookie?: string | undefined;
}

/** Returns the document of the page in the language of a reader. */
export type PageDocuments = (headers: ReaderHeaders) => PageFile;

/** Returns the documents of the page; `adorned` adds to each of them. */
export function pageDocuments(
  languages: Languages,
  adorned: (document: string) => string = (document) => document,
): PageDocuments {
  const files = new Map(
    languages.tags.map((language) => {
      const needsScript = textIn(languages, language, "page.needsScript");
      const document = pageDocument(usualPortalName, "page", escaped(needsScript), {
        style: "brand.css",
        language,
        languages: languages.tags,
      });
      return [language, textFile(html, adorned(document), "accept-encoding, accept-language, cookie")];
    }),
  );
  const usual = files.get(languages.usual) ?? textFile(html, "");
  return ({ "accept-language": accepted, cookie: cookies = "" }) =>
    files.get(chooseLanguage(languages, accepted, readCookie(cookies, cookie))) ?? usual;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/**
 * Returns the message files of all languages by file name. If the operator's file lacks a message, the built-in
 * translation of that language is used, or English. Logs the number of missing messages and of unknown names.
 */
export function messageFiles({ additional }: Languages, log: Logger): ReadonlyMap<string, PageFile> {
  const own = Object.entries(pageMessages).filter(([language]) => !additional.has(language));
  const packed = own.map(([language, text]) => [fileOf(language), packedFile(json, text)] as const);
  const given = [...additional.values()].map((file) => {
    return [fileOf(file.language), textFile(json, JSON.stringify(completed(file, log)))] as const;
  });
  return new Map([...packed, ...given]);
}

function fileOf(language: string): string {
  return `messages.${language}.json`;
}

function completed({ language, messages, said }: MessageFile, log: Logger): MessageFile {
  const base = unpacked(
    Object.entries(pageMessages).find(([tag]) => tag === language)?.[1] ?? pageMessages.en,
  );
  const names = Object.keys(base.messages);
  const missing = names.filter((name) => messages[name] === undefined);
  const unknown = Object.keys(messages).filter((name) => base.messages[name] === undefined);
  if (missing.length > 0)
    log.info("message file is incomplete", { language, missing: missing.length, first: missing[0] });
  if (unknown.length > 0)
    log.warn("message file has unknown names", { language, unknown: unknown.length, first: unknown[0] });
  return { language, messages: { ...base.messages, ...messages }, said: { ...base.said, ...said } };
}

function unpacked(packed: string): MessageFile {
  return JSON.parse(String(brotliDecompressSync(Buffer.from(packed, "base64"))));
}

/** The choice of a language. */
const choiceSchema: RecordSchema<{ readonly language: string }> = {
  name: "LanguageChoice",
  schema: {
    title: "Language",
    description: "A language of the page.",
    type: "object",
    additionalProperties: false,
    required: ["language"],
    properties: { language: { type: "string", minLength: 2, maxLength: 100, description: "Such as `de`." } },
  },
};

/** Operations that store a choice in the browser. */
export const languageOperations: readonly PortalOperation[] = [
  operation({
    method: "PUT",
    path: "/language",
    operationId: "chooseLanguage",
    tag: "Entrance",
    summary: "Sets the language of the page. The response sets a cookie.",
    body: { record: choiceSchema },
    answer: { kind: "written", message: "The language." },
    refusals: [403],
    async run({ caller, body }, { languages }) {
      return new RestAnswer(written(body.language), { "set-cookie": keepLanguage(languages, body, caller) });
    },
  }),
];

/** Returns the `Set-Cookie` header that stores a choice. Throws 400 if the portal does not have the language. */
function keepLanguage(
  { tags }: Languages,
  { language }: { readonly language: string },
  { isSecure }: RestCaller,
): string {
  if (!tags.includes(language))
    throw refusal(400, "The portal does not have this language.", [`language: Expected ${tags.join(", ")}`]);
  return writeCookie(cookie, language, {
    path: "/portal",
    maxAge: keptFor,
    sameSite: "Lax",
    isSecure: isSecure === true,
  });
}

/** Operations that store a developer's choice, which also applies to e-mails to the developer. */
export const ownLanguageOperations: readonly PortalOperation[] = [
  operation({
    method: "PUT",
    path: "/language",
    operationId: "chooseOwnLanguage",
    tag: "Own",
    summary: "Sets the language of the page and of e-mails to the developer. The response sets a cookie.",
    body: { record: choiceSchema },
    answer: { kind: "written", message: "The language." },
    refusals: [403],
    async run({ organisation, caller, body }, { store, languages }) {
      const kept = keepLanguage(languages, body, caller);
      await setLanguage(store, organisation, caller.developer ?? "", body.language);
      return new RestAnswer(written(body.language), { "set-cookie": kept });
    },
  }),
];
