// Shows credentials, which is possible only once.

import type { OwnKey } from "../../runtime/portal/page/own-records.ts";
import { openDialog } from "../kit/dialogs.tsx";
import { Copied } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { messageOf, say } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

type Credential = Readonly<Record<string, string>>;

/** The kinds of credentials by kind of key; the names are those of `auth_type` in the catalogue. */
export const authTypes: Readonly<Record<OwnKey["kind"], string>> = {
  key: "authToken",
  user: "basic",
  client: "oauth",
  hmac: "hmac",
  jwt: "jwt",
  certificate: "mutualTLS",
};

/** The meaning of `RawKey` if it is not a key. */
const identifiers = {
  basic: "credential.user",
  hmac: "credential.keyId",
  jwt: "credential.keyId",
  mutualTLS: "credential.fingerprint",
} as const;

/** Statuses of proxies whose server may have carried out the request. */
const proxyFailures: readonly number[] = [502, 504];

/**
 * Waits for a response with a credential. If it is lost, the credential may exist without being known, so the
 * error says what to do.
 */
export async function issued<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Refusal && !proxyFailures.includes(error.status)) throw error;
    throw new Error(`${messageOf(error)} ${t("credential.lost")}`, { cause: error });
  }
}

/** The names of a credential's fields. */
const credentialFields = new Map<string, (authType: string) => string>([
  ["RawKey", (authType) => t(isIdentified(authType) ? identifiers[authType] : "word.key")],
  ["Password", (authType) => t(authType === "basic" ? "word.password" : "credential.secret")],
  ["client_id", () => t("credential.client")],
  ["secret", () => t("credential.secret")],
  ["policy_id", () => t("word.policy")],
  ["redirect_uri", () => t("credential.redirects")],
  ["certificate", () => t("credential.certificate")],
]);

function isIdentified(authType: string): authType is keyof typeof identifiers {
  return Object.hasOwn(identifiers, authType);
}

/**
 * Shows a credential until the dialog is closed, then removes it from the page. `authType`: the kind in the catalogue.
 * `owner`: its owner, if that is not the user.
 */
export async function showCredential(credential: Credential, authType: string, owner = ""): Promise<void> {
  const known = Object.entries(credential).flatMap(([field, value]): readonly [string, string][] => {
    const name = credentialFields.get(field)?.(authType);
    return name === undefined || value === "" ? [] : [[name, value]];
  });
  if (known.length === 0) {
    say(t("credential.extended"));
    return;
  }
  await openDialog(
    t("credential.title"),
    (close) => (
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
    ),
    { stays: true },
  );
}
