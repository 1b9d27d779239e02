// Credentials, which are shown once.

import { openDialog } from "../kit/dialogs.tsx";
import { Copied } from "../kit/parts.tsx";
import { say } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

type Credential = Readonly<Record<string, string>>;

/** The names of a credential's fields. */
const credentialFields: ReadonlyMap<string, (credential: Credential) => string> = new Map([
  [
    "RawKey",
    ({ Password: password }: Credential) => t(password === undefined ? "word.key" : "credential.user"),
  ],
  ["Password", () => t("word.password")],
  ["client_id", () => t("credential.client")],
  ["secret", () => t("credential.secret")],
  ["policy_id", () => t("word.policy")],
  ["redirect_uri", () => t("credential.redirects")],
  ["certificate", () => t("credential.certificate")],
]);

/** Shows a credential until the dialog is closed, and removes it from the page then. Whose it is, where that is somebody else. */
export async function showCredential(credential: Credential, owner = ""): Promise<void> {
  const known = Object.entries(credential).flatMap(([field, value]): readonly [string, string][] => {
    const name = credentialFields.get(field)?.(credential);
    return name === undefined || value === "" ? [] : [[name, value]];
  });
  if (known.length === 0) {
    say(t("credential.extended"));
    return;
  }
  await openDialog(t("credential.title"), (close) => (
    <div class="stack">
      <p>{t("credential.once")}</p>
      {owner !== "" && <p>{t("credential.passOn", { owner })}</p>}
      <dl id="secret" class="stack tight">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt class="label">{name}</dt>
            <dd>
              <Copied text={value} name={name} />
            </dd>
          </div>
        ))}
      </dl>
      <div class="tools">
        <button type="button" class="main" onClick={() => close()}>
          {t("credential.have")}
        </button>
      </div>
    </div>
  ));
}
