// Logging in.

import { Form, TextField, type Values } from "../kit/forms.tsx";
import { Refusal } from "../kit/requests.ts";
import { linkTo } from "../kit/router.ts";
import { isSignOnOnly, SignOnLink } from "../kit/sign-on.tsx";
import { say } from "../kit/toasts.tsx";
import { abilities, PasswordFields } from "./accounts.tsx";
import { PortalBrand } from "./brand.tsx";
import { changePassword, enterToken, hasExpired, logIn } from "./interface.ts";
import { LanguageSwitch } from "./language.tsx";
import { t } from "./messages.ts";

/** The page without a session. */
export function Door() {
  return (
    <div class="door">
      <header>
        <PortalBrand />
        <LanguageSwitch />
      </header>
      <main class="wide">
        <h1 class="hidden">{t("door.logIn")}</h1>
        {hasExpired.value && (
          <p class="form-error" role="alert">
            {t("door.expired")}
          </p>
        )}
        <SignOnLink path="sign-in" />
        <div class="columns" hidden={isSignOnOnly}>
          <section class="card" aria-labelledby="developers-title">
            <h2 id="developers-title">{t("word.developers")}</h2>
            <Form id="login" submit={t("door.logIn")} send={enter} keeps>
              <TextField label={t("word.email")} name="username" type="email" fill="username" isRequired />
              <TextField
                label={t("word.password")}
                name="password"
                type="password"
                fill="current-password"
                isRequired
                {...(!abilities.value.password_reset && {
                  note: t("door.forgottenNote"),
                })}
              />
            </Form>
            {abilities.value.password_reset && (
              <p>
                <a href={linkTo("forgotten")}>{t("door.forgot")}</a>
              </p>
            )}
            {abilities.value.sign_up && (
              <p>
                {t("door.noAccount")} <a href={linkTo("sign-up")}>{t("door.signUp")}</a>
              </p>
            )}
            <details>
              <summary>{t("word.changePassword")}</summary>
              <Form submit={t("word.changePassword")} send={change}>
                <TextField
                  label={t("word.address")}
                  name="username"
                  type="email"
                  fill="username"
                  isRequired
                />
                <PasswordFields />
              </Form>
            </details>
          </section>
          <section class="card" aria-labelledby="administrators-title">
            <h2 id="administrators-title">{t("door.administrators")}</h2>
            <Form
              id="token"
              submit={t("door.openAdministration")}
              send={({ token = "" }) => enterWith(token)}
            >
              <TextField
                label={t("door.token")}
                name="token"
                type="password"
                note={t("door.tokenNote")}
                isRequired
              />
            </Form>
          </section>
        </div>
      </main>
    </div>
  );
}

function enter({ username = "", password = "" }: Values): Promise<void> {
  return explained(t("door.wrongPassword"), () => logIn(username, password));
}

function enterWith(token: string): Promise<void> {
  return explained(t("door.wrongToken"), () => enterToken(token));
}

async function change(values: Values): Promise<void> {
  await explained(t("door.wrongPresent"), () => changePassword(values));
  say(t("password.changedLogIn"));
}

/** Runs `work`, and explains a refusal if the server's message does not. */
async function explained(words: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) throw new Error(words);
    throw error;
  }
}
