// Credentials, which are shown once.

import { openDialog } from "../kit/dialogs.tsx";
import { Copied } from "../kit/parts.tsx";
import { say } from "../kit/toasts.tsx";

/** The names of a credential's fields. */
const credentialFields: ReadonlyMap<string, string> = new Map([
  ["RawKey", "Key or user name"],
  ["Password", "Password"],
  ["client_id", "Client"],
  ["secret", "Secret"],
  ["policy_id", "Policy"],
  ["redirect_uri", "Redirects to"],
  ["certificate", "Certificate"],
]);

/** Shows a credential until the dialog is closed, and removes it from the page then. */
export async function showCredential(credential: Readonly<Record<string, string>>): Promise<void> {
  const known = Object.entries(credential).flatMap(([field, value]): readonly [string, string][] => {
    const name = credentialFields.get(field);
    return name === undefined || value === "" ? [] : [[name, value]];
  });
  if (known.length === 0) {
    say("The access was added to the key that the developer has.");
    return;
  }
  await openDialog("Credential", (close) => (
    <div class="stack">
      <p>It is shown once: copy it now. Only its hash is kept, so it cannot be read again.</p>
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
          I have it
        </button>
      </div>
    </div>
  ));
}
