// Credentials, which are shown once.

import { openDialog } from "../kit/dialogs.tsx";
import { Copied } from "../kit/parts.tsx";
import { say } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

/** The names of a credential's fields. */
const credentialFields: ReadonlyMap<string, () => string> = new Map([
  ["RawKey", () => t("credential.key")],
  ["Password", () => t("word.password")],
  ["client_id", () => t("credential.client")],
  ["secret", () => t("credential.secret")],
  ["policy_id", () => t("word.policy")],
  ["redirect_uri", () => t("credential.redirects")],
  ["certificate", () => t("credential.certificate")],
]);

/** Shows a credential until the dialog is closed, and removes it from the page then. */
export async function showCredential(credential: Readonly<Record<string, string>>): Promise<void> {
  const known = Object.entries(credential).flatMap(([field, value]): readonly [string, string][] => {
    const name = credentialFields.get(field)?.();
    return name === undefined || value === "" ? [] : [[name, value]];
  });
  if (known.length === 0) {
    say(t("credential.extended"));
    return;
  }
  await openDialog(t("credential.title"), (close) => (
    <div class="stack">
      <p>{t("credential.once")}</p>
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
