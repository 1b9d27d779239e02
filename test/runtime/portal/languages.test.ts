import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kitEnglish } from "../../../pages/kit/english.ts";
import { kitGerman } from "../../../pages/kit/german.ts";
import { saidIn } from "../../../pages/kit/message-types.ts";
import { portalEnglish } from "../../../pages/portal/messages/english.ts";
import { portalGerman } from "../../../pages/portal/messages/german.ts";
import { germanSaid } from "../../../pages/portal/messages/german-said.ts";
import { portalAccounts } from "../../../runtime/portal/accounts/accounts.ts";
import { audited, ownChanges } from "../../../runtime/portal/audit.ts";
import { english } from "../../../runtime/portal/languages/english.ts";
import { german } from "../../../runtime/portal/languages/german.ts";
import {
  chooseLanguage,
  configureLanguages,
  type LanguagesOptions,
  textIn,
} from "../../../runtime/portal/languages/languages.ts";
import { smtpMailer } from "../../../runtime/portal/mail/smtp-mailer.ts";
import { appOperations } from "../../../runtime/portal/operations/apps.ts";
import { keyOperations } from "../../../runtime/portal/operations/developer-keys.ts";
import { developerOperations } from "../../../runtime/portal/operations/developers.ts";
import { documentOperations } from "../../../runtime/portal/operations/documents.ts";
import { mailOperations } from "../../../runtime/portal/operations/mails.ts";
import { policyOperations } from "../../../runtime/portal/operations/policies.ts";
import { requestOperations } from "../../../runtime/portal/operations/requests.ts";
import { teamOperations } from "../../../runtime/portal/operations/teams.ts";
import { webhookOperations } from "../../../runtime/portal/operations/webhooks.ts";
import { ownOperations } from "../../../runtime/portal/page/own-operations.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { until } from "../../harness/wait.ts";
import { freshFile } from "../store/databases.ts";
import { startPortal } from "./portals.ts";

const french = {
  language: "fr",
  messages: { "word.catalogue": "Catalogue !", "mail.signUp.subject": "Inscription", "no.such.name": "?" },
};
const withFrench = configureLanguages({ additional: [JSON.stringify(french)] });

test("the reader's preferred language is chosen, else the default", () => {
  const cases: readonly [accepted: string | undefined, chosen: string | undefined, expected: string][] = [
    [undefined, undefined, "en"],
    ["", undefined, "en"],
    ["de", undefined, "de"],
    ["DE-at, en;q=0.9", undefined, "de"],
    ["ja, de;q=0.5, en;q=0.7", undefined, "en"],
    ["en;q=0, de;q=0.1", undefined, "de"],
    ["*", undefined, "en"],
    ["ja, *;q=0.5, de;q=0.1", undefined, "en"],
    ["de;q=nonsense, fr;q=0.3", undefined, "fr"],
    ["fr-CA-x-private", undefined, "fr"],
    ["en", "de", "de"],
    ["en", "ja", "en"],
    [",;q=1,-,de", undefined, "de"],
  ];
  for (const [accepted, chosen, expected] of cases)
    assert.is(chooseLanguage(withFrench, accepted, chosen), expected, `${accepted} ${chosen}`);
  const german = configureLanguages({ default: "de" });
  assert.is(chooseLanguage(german, "ja", undefined), "de");
  const swiss = configureLanguages({ additional: [JSON.stringify({ ...french, language: "fr-CH" })] });
  assert.is(chooseLanguage(swiss, "fr-FR", undefined), "fr-CH");
});

test("an invalid message file keeps a gateway from starting, with the reason", () => {
  const refused: readonly [options: LanguagesOptions, reason: RegExp][] = [
    [{ additional: ["{"] }, /message file 1 of the portal: it is not JSON/],
    [{ additional: ["[]"] }, /`language` is not the tag of a language/],
    [{ additional: ['{"language":"../x","messages":{}}'] }, /`language` is not the tag/],
    [{ additional: ['{"language":"fr"}'] }, /`messages` is not an object/],
    [{ additional: ['{"language":"fr","messages":{"a":1}}'] }, /message `a` is neither/],
    [{ additional: ['{"language":"fr","messages":{"a":{"one":"x"}}}'] }, /message `a` is neither/],
    [{ additional: ['{"language":"fr","messages":{},"said":{"a":[]}}'] }, /`said` is not an object of texts/],
    [{ default: "fr" }, /no messages in its default language fr, only in en, de/],
  ];
  for (const [options, reason] of refused) assert.throws(() => configureLanguages(options), reason);
});

test("a text missing in a language falls back to English, and values are not expanded", () => {
  assert.is(textIn(withFrench, "fr", "mail.signUp.subject"), "Inscription");
  assert.is(textIn(withFrench, "fr", "mail.known.subject"), english["mail.known.subject"]);
  assert.is(
    textIn(withFrench, "de", "limit.rate", { count: "{seconds}", seconds: "60" }),
    "{seconds} Anfragen in 60 s",
  );
});

/** Returns the placeholders in braces, from all forms of a message. */
function placesIn(message: string | Readonly<Record<string, string>>): readonly string[] {
  const texts = typeof message === "string" ? [message] : Object.values(message);
  return [...new Set(texts.flatMap((text) => text.match(/\{+\w+\}+/g) ?? []))].toSorted();
}

test("messages have the same placeholders in every language", () => {
  type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  const pairs: readonly (readonly [Catalogue, Catalogue])[] = [
    [kitEnglish, kitGerman],
    [portalEnglish, portalGerman],
    [english, german],
  ];
  for (const [source, other] of pairs) {
    assert.equal(Object.keys(other).toSorted(), Object.keys(source).toSorted());
    for (const [name, message] of Object.entries(source))
      assert.equal(placesIn(other[name] ?? ""), placesIn(message), name);
  }
});

test("the audit log has texts for exactly the operations that it records", () => {
  const noted = [
    ...appOperations,
    ...developerOperations,
    ...documentOperations,
    ...keyOperations,
    ...mailOperations,
    ...policyOperations,
    ...requestOperations,
    ...teamOperations,
    ...webhookOperations,
    ...ownOperations,
  ].filter((each) => audited(each) !== each);
  // A change for a team uses the same words as the developer's own change.
  const named = [...noted.map(({ operationId }) => operationId.replace(/OfTeam$/, "")), ...ownChanges];
  const words = Object.keys(portalEnglish).flatMap((name) => /^audit\.did\.(.+)$/.exec(name)?.[1] ?? []);
  assert.equal(words.toSorted(), [...new Set(named)].toSorted());
});

test("every translated error text is produced by the runtime", () => {
  const root = join(import.meta.dirname, "../../../runtime");
  const sources = globSync("**/*.ts", { cwd: root })
    .filter((file) => !file.includes("generated"))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  const said = sources.replaceAll(/\$\{[^}]+\}/g, "{}");
  assert.equal(
    Object.keys(germanSaid).filter((words) => !said.includes(words)),
    [],
  );
});

test("texts with numbers and codes are translated with their values", () => {
  for (const [english, translated] of [
    ["Answered with status 503", "Mit Status 503 beantwortet"],
    ["The connection failed (ECONNREFUSED)", "Die Verbindung kam nicht zustande (ECONNREFUSED)"],
    ["The connection failed", "Die Verbindung kam nicht zustande"],
    ["Unknown text 1", "Unknown text 1"],
  ] as const)
    assert.is(saidIn(germanSaid, english), translated);
});

test("a browser receives the page and its messages in its language, and a choice overrides it", async () => {
  const portal = await startPortal(await freshFile(), [], {
    page: portalPage,
    settings: { languages: { additional: [JSON.stringify(french)] } },
  });
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${portal.url}/portal/${path}`, { headers });
    return { response, text: await response.text() };
  };
  const { text, response } = await read("", { "accept-language": "de-CH, en;q=0.5" });
  assert.match(text, /<html lang="de" data-languages="en de fr">/);
  assert.match(text, /Diese Seite braucht ihr Skript/);
  assert.match(response.headers.get("vary") ?? "", /accept-language.*cookie/);
  assert.match((await read("")).text, /<html lang="en"/);
  const chosen = await fetch(`${portal.url}/portal/entrance/language`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '{"language":"fr"}',
  });
  assert.is(chosen.status, 200);
  const cookie = (chosen.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  assert.match((await read("", { cookie, "accept-language": "de" })).text, /<html lang="fr"/);
  const unknown = await fetch(`${portal.url}/portal/entrance/language`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '{"language":"../x"}',
  });
  assert.is(unknown.status, 400);
  const messages = JSON.parse((await read("messages.fr.json")).text);
  assert.is(messages.messages["word.catalogue"], "Catalogue !");
  assert.is(messages.messages["kit.cancel"], kitEnglish["kit.cancel"]);
  const german = JSON.parse((await read("messages.de.json")).text);
  assert.is(german.messages["kit.cancel"], "Abbrechen");
  assert.is((await read("messages.ja.json")).response.status, 404);
  assert.match(JSON.stringify(portal.lines), /message file has unknown names/);
  await portal.close();
});

test("e-mails are in the language of the developer, else in that of the request", async () => {
  const server = await startMailServer();
  const portal = await startPortal(await freshFile(), [], {
    page: portalPage,
    smtp: smtpMailer({ from: "portal@example.com" }),
    environment: { GW_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    settings: { accounts: portalAccounts({ url: "https://example.com/portal/", sign_up: true }) },
  });
  const password = "correct horse battery";
  await portal.ask("POST", "/developers", { email: "ann@example.com", password, language: "de" });
  const ask = (path: string, email: string, accepted: string) =>
    fetch(`${portal.url}/portal/entrance/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "accept-language": accepted },
      body: JSON.stringify({ email }),
    });
  const subjectTo = async (address: string) => {
    const mail = await until(() => server.mails.find(({ to }) => to.includes(address)));
    const [, subject = ""] = /^Subject: (.*)\r$/m.exec(mail.raw) ?? [];
    return subject;
  };
  await ask("password/link", "ann@example.com", "en");
  await ask("sign-up", "cleo@example.com", "de");
  await ask("sign-up", "dora@example.com", "ja");
  assert.match(await subjectTo("ann@example.com"), /=\?UTF-8\?Q\?W=C3=A4hlen_Sie|Wählen Sie/);
  assert.match(await subjectTo("cleo@example.com"), /=\?UTF-8\?Q\?Schlie=C3=9Fen|Schließen/);
  assert.is(await subjectTo("dora@example.com"), "Complete your registration");
  await portal.close();
  await server.close();
});

test.run();
