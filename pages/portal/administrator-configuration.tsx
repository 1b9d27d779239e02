// The view in which administrators configure the portal.

import type { Configuration } from "../../runtime/portal/generated/configuration.ts";
import { CheckField, LongField, numberIn, TextField } from "../kit/forms.tsx";
import { say } from "../kit/toasts.tsx";
import { type DocumentPart, DocumentView, saveDocument } from "./administrator-document.tsx";
import { t } from "./messages.ts";
import { RecordForm } from "./record-form.tsx";

/** The view with the configuration. */
export function ConfigurationView() {
  return (
    <DocumentView
      path="/configuration"
      title={t("nav.configuration")}
      text={t("configuration.text")}
      part={ConfigurationForm}
    />
  );
}

function ConfigurationForm({ found, refresh }: DocumentPart<Configuration>) {
  const { id: _, org_id: __, ...record } = found ?? {};
  return (
    <div class="card">
      <RecordForm<Configuration>
        record={record}
        name="configuration"
        label={t("configuration.all")}
        note={t("configuration.note", { email: "{{email}}", portal: "{{portal}}", link: "{{link}}" })}
        read={configurationIn}
        save={async (body) => {
          await saveDocument("/configuration", found, body);
          await refresh();
          say(t("word.saved"));
        }}
      >
        {(shown) => <Fields configuration={shown} />}
      </RecordForm>
    </div>
  );
}

/** The most common fields. All others are in the JSON, or in other views. */
function Fields({ configuration }: { readonly configuration: Configuration }) {
  const { require_key_approval: waits = true, enable_multi_selection: extends_ = false } = configuration;
  const { disable_signup: isClosed = false, disable_auto_login: logsIn = false } = configuration;
  const { signup_fields: questions = [], oauth_usage_limit: tokens = 0 } = configuration;
  return (
    <>
      <h2>{t("configuration.requests")}</h2>
      <CheckField label={t("configuration.approval")} name="approval" isOn={waits} />
      <CheckField label={t("configuration.extend")} name="extend" isOn={extends_} />
      <TextField
        label={t("configuration.tokens")}
        name="oauth_usage_limit"
        type="number"
        value={tokens > 0 ? String(tokens) : ""}
        note={t("configuration.tokensNote")}
      />
      <h2>{t("configuration.accounts")}</h2>
      <p class="note">{t("configuration.accountsNote")}</p>
      <CheckField label={t("configuration.signUp")} name="sign-up" isOn={!isClosed} />
      <CheckField label={t("configuration.logIn")} name="log-in" isOn={logsIn} />
      <LongField
        label={t("configuration.questions")}
        name="signup_fields"
        value={questions.flatMap((each) => lineOf(each) ?? []).join("\n")}
        rows={3}
        note={t("configuration.questionsNote", { sample: "company: Your company *" })}
      />
    </>
  );
}

/** Returns the configuration in the form. */
function configurationIn(data: FormData, before: Configuration): Configuration {
  const { oauth_usage_limit: _, signup_fields: former = [], ...rest } = before;
  const tokens = numberIn(data, "oauth_usage_limit");
  const lines = String(data.get("signup_fields") ?? "").split("\n");
  const questions = [
    ...lines
      .map((line) => line.trim())
      .filter(Boolean)
      .map(questionIn),
    // Questions that the form cannot represent stay unchanged.
    ...former.filter((each) => lineOf(each) === undefined),
  ];
  return {
    ...rest,
    require_key_approval: data.has("approval"),
    enable_multi_selection: data.has("extend"),
    disable_signup: !data.has("sign-up"),
    disable_auto_login: data.has("log-in"),
    ...(tokens !== undefined && tokens > 0 && { oauth_usage_limit: tokens }),
    ...(questions.length > 0 && { signup_fields: questions }),
  };
}

/** Returns a question as a line, `name: label *`; `undefined` if it is not a valid question. */
function lineOf(question: unknown): string | undefined {
  if (typeof question === "string") return question;
  if (typeof question !== "object" || question === null || !("name" in question)) return undefined;
  const { name, label = name, required = false, ...others } = question as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof label !== "string" || Object.keys(others).length > 0)
    return undefined;
  const text = label === name ? name : `${name}: ${label}`;
  return required === true ? `${text} *` : text;
}

/** Parses a question from a line. */
function questionIn(line: string): string | { name: string; label: string; required: boolean } {
  const [, text = line, star] = /^(.*?)\s*(\*)?$/.exec(line) ?? [];
  const at = text.indexOf(":");
  if (at < 1 && star === undefined) return text;
  const name = at < 1 ? text : text.slice(0, at).trim();
  return { name, label: at < 1 ? text : text.slice(at + 1).trim() || name, required: star !== undefined };
}
