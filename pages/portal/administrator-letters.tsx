// The view in which administrators edit the texts of e-mails, with a preview.

import { useRef, useState } from "preact/hooks";
import type { Configuration } from "../../runtime/portal/generated/configuration.ts";
import { openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { CheckField, Form, LongField, TextField } from "../kit/forms.tsx";
import { Act, Badge, Empty } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { type DocumentPart, DocumentView, saveDocument } from "./administrator-document.tsx";
import { portalName } from "./brand.tsx";
import { t } from "./messages.ts";

type MailOptions = NonNullable<Configuration["mail_options"]>;
type Letters = NonNullable<MailOptions["email_copy"]>;
type Kind = keyof Letters;

/**
 * The e-mails in the order in which a developer gets them. Those with a link are sent only if accounts are
 * configured.
 */
const kinds: readonly Kind[] = [
  "sign_up_email",
  "sign_up_known_email",
  "password_link_email",
  "team_invitation_email",
  "welcome_email",
  "key_email",
  "reset_password_email",
];

/** The texts of an e-mail of any kind. */
interface LetterTexts {
  readonly enabled?: boolean;
  readonly subject?: string;
  readonly body?: string;
  readonly sign_off?: string;
  readonly hide_token_data?: boolean;
}

function hasLink(kind: Kind): boolean {
  return placeholdersOf(kind).includes("link");
}

function hasCredential(kind: Kind): boolean {
  return kind === "key_email";
}

type PlaceholderName = "email" | "portal" | "link" | "team";

/** Returns the placeholders of an e-mail. The link and the team are only available in the body. */
function placeholdersOf(kind: Kind): readonly PlaceholderName[] {
  switch (kind) {
    case "team_invitation_email":
      return ["email", "portal", "link", "team"];
    case "sign_up_email":
    case "sign_up_known_email":
    case "password_link_email":
      return ["email", "portal", "link"];
    default:
      return ["email", "portal"];
  }
}

/** Reads the form. Empty fields are omitted, so that the portal uses its own texts if it has any. */
function readLetter(all: FormData, kind: Kind): LetterTexts {
  const texts = (["subject", "body", "sign_off"] as const).flatMap((name) => {
    const text = String(all.get(name) ?? "");
    return text.trim() === "" ? [] : [[name, text]];
  });
  return {
    ...Object.fromEntries(texts),
    ...(!hasLink(kind) && { enabled: all.has("enabled") }),
    ...(hasCredential(kind) && { hide_token_data: all.has("hide_token_data") }),
  };
}

/** The view with the texts of e-mails. */
export function LettersView() {
  return (
    <DocumentView
      path="/configuration"
      title={t("letters.title")}
      text={t("letters.text")}
      part={LettersPart}
    />
  );
}

function LettersPart({ found, refresh }: DocumentPart<Configuration>) {
  const mail = found?.mail_options ?? {};
  const letters: Partial<Record<Kind, LetterTexts>> = mail.email_copy ?? {};
  const save = async (changes: MailOptions) => {
    const { id: _, org_id: __, ...rest } = found ?? {};
    await saveDocument("/configuration", found, { ...rest, mail_options: { ...mail, ...changes } });
    await refresh();
    say(t("word.saved"));
  };
  const edit = useLinkedDialog("edit", (kind, signal) => {
    const known = kinds.find((each) => each === kind);
    if (known === undefined) throw new Error(t("letters.noSuch"));
    return openDialog(
      t(`letters.kind.${known}`),
      (close) => (
        <LetterForm
          kind={known}
          letter={letters[known] ?? {}}
          save={async (letter) => {
            await save({ email_copy: { ...mail.email_copy, [known]: letter } });
          }}
          close={() => close()}
        />
      ),
      { isWide: true, signal },
    );
  });
  return (
    <>
      <Table
        id="letters"
        title={t("letters.title")}
        rows={kinds}
        keyOf={(kind) => kind}
        columns={[
          { title: t("letters.one"), cell: (kind) => t(`letters.kind.${kind}`) },
          { title: t("letters.when"), cell: (kind) => t(`letters.when.${kind}`) },
          {
            title: t("letters.subject"),
            cell: (kind) =>
              letters[kind]?.subject || t(hasLink(kind) ? "letters.usual" : "letters.noSubject"),
          },
          {
            title: t("word.state"),
            cell: (kind) => {
              const isSent = hasLink(kind) || letters[kind]?.enabled === true;
              return (
                <Badge tone={isSent ? "good" : "plain"}>
                  {t(hasLink(kind) ? "letters.withAccounts" : isSent ? "letters.sent" : "letters.notSent")}
                </Badge>
              );
            },
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (kind) => (
              <Act
                text={t("word.edit")}
                about={t(`letters.kind.${kind}`)}
                look="small"
                work={() => edit(kind)}
              />
            ),
          },
        ]}
        empty={<Empty title={t("letters.title")} />}
      />
      <section class="card" aria-labelledby="sender-title">
        <h2 id="sender-title">{t("letters.sender")}</h2>
        <Form
          id="sender"
          submit={t("word.save")}
          keeps
          send={({ mail_from_name = "", mail_from_email = "" }) => save({ mail_from_name, mail_from_email })}
        >
          <TextField
            label={t("word.name")}
            name="mail_from_name"
            value={mail.mail_from_name ?? ""}
            most={200}
          />
          <TextField
            label={t("word.address")}
            name="mail_from_email"
            type="email"
            value={mail.mail_from_email ?? ""}
            note={t("letters.senderNote")}
          />
        </Form>
      </section>
    </>
  );
}

function LetterForm(options: {
  readonly kind: Kind;
  readonly letter: LetterTexts;
  readonly save: (letter: LetterTexts) => Promise<void>;
  readonly close: () => void;
}) {
  const { kind, letter, save, close } = options;
  const [written, setWritten] = useState(letter);
  const field = useRef<HTMLInputElement | HTMLTextAreaElement>(null);
  const insert = (name: string) => {
    const into = field.current;
    if (into === null) return;
    into.focus();
    into.setRangeText(`{{${name}}}`, into.selectionStart ?? 0, into.selectionEnd ?? 0, "end");
    into.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return (
    <div
      class="columns"
      onFocusIn={({ target }) => {
        if (isText(target)) field.current = target;
      }}
      onInput={({ target }) => {
        if (target instanceof HTMLElement) {
          const form = target.closest("form");
          if (form !== null) setWritten(readLetter(new FormData(form), kind));
        }
      }}
    >
      <Form id="letter" submit={t("word.save")} send={(_, all) => save(readLetter(all, kind))} close={close}>
        {!hasLink(kind) && (
          <CheckField label={t("letters.send")} name="enabled" isOn={letter.enabled === true} />
        )}
        <TextField
          label={t("letters.subject")}
          name="subject"
          value={letter.subject ?? ""}
          most={200}
          {...(hasLink(kind) && { note: t("letters.usualNote") })}
        />
        <LongField label={t("letters.body")} name="body" value={letter.body ?? ""} rows={8} />
        {hasCredential(kind) && (
          <CheckField
            label={t("letters.hide")}
            name="hide_token_data"
            isOn={letter.hide_token_data === true}
          />
        )}
        <LongField label={t("letters.signOff")} name="sign_off" value={letter.sign_off ?? ""} rows={3} />
        <fieldset class="field">
          <legend>{t("letters.placeholders")}</legend>
          <ul class="plain">
            {placeholdersOf(kind).map((name) => (
              <li key={name}>
                <button type="button" class="small mono" onClick={() => insert(name)}>
                  {`{{${name}}}`}
                </button>
                <span class="note">{t(`letters.placeholder.${name}`)}</span>
              </li>
            ))}
          </ul>
        </fieldset>
      </Form>
      <Preview kind={kind} letter={written} />
    </div>
  );
}

function isText(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return (
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text")
  );
}

/** Shows the e-mail as a developer gets it. */
function Preview({ kind, letter }: { readonly kind: Kind; readonly letter: LetterTexts }) {
  const { subject = "", body = "", sign_off = "", hide_token_data } = letter;
  const isUsual = hasLink(kind) && body === "";
  const link = "https://portal.example.com/portal/#/welcome/…";
  const values: Readonly<Record<string, string>> = {
    email: "ada@example.com",
    portal: portalName(),
    ...(placeholdersOf(kind).includes("team") && { team: "Shipping" }),
    ...(hasLink(kind) && { link }),
  };
  const parts = [
    isUsual ? t("letters.usualBody") : body,
    hasCredential(kind) && hide_token_data !== true ? `${t("word.key")}: 3f9a…` : "",
    hasLink(kind) && !/\{\{\s*link\s*\}\}/.test(body) ? link : "",
    sign_off,
  ];
  return (
    <section class="field letter" aria-label={t("texts.preview")} aria-live="polite">
      <span class="label">{t("texts.preview")}</span>
      <div class="card stack">
        <p class="note">{t("letters.to", { address: values.email ?? "" })}</p>
        <strong>
          {subject === "" ? (
            t(hasLink(kind) ? "letters.usual" : "letters.noSubject")
          ) : (
            <Filled text={subject} values={values} />
          )}
        </strong>
        {parts
          .filter((part) => part.trim() !== "")
          .map((part) => (
            <p key={part} class="text">
              <Filled text={part} values={values} />
            </p>
          ))}
      </div>
    </section>
  );
}

/** Shows a text with its placeholders replaced. Unknown placeholders are highlighted. */
function Filled({
  text,
  values,
}: {
  readonly text: string;
  readonly values: Readonly<Record<string, string>>;
}) {
  const pieces = text.split(/(\{\{\s*\w+\s*\}\})/);
  return (
    <>
      {pieces.map((piece, index) => {
        const [, name] = /^\{\{\s*(\w+)\s*\}\}$/.exec(piece) ?? [];
        if (name === undefined) return piece;
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        return value ?? <mark key={`${index} ${name}`}>{piece}</mark>;
      })}
    </>
  );
}
