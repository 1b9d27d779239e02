// Logging in.

import { Form, TextField, type Values } from "../kit/forms.tsx";
import { Refusal } from "../kit/requests.ts";
import { linkTo } from "../kit/router.ts";
import { isSignOnOnly, SignOnLink } from "../kit/sign-on.tsx";
import { say } from "../kit/toasts.tsx";
import { abilities } from "./accounts.tsx";
import { PortalBrand } from "./brand.tsx";
import { changePassword, enterToken, logIn } from "./interface.ts";

/** What is shown without a session. */
export function Door() {
  return (
    <div class="door">
      <header>
        <PortalBrand />
      </header>
      <main class="wide">
        <h1 class="hidden">Log in</h1>
        <SignOnLink path="sign-in" />
        <div class="columns" hidden={isSignOnOnly}>
          <section class="card" aria-labelledby="developers-title">
            <h2 id="developers-title">Developers</h2>
            <Form id="login" submit="Log in" send={enter} keeps>
              <TextField label="E-mail" name="username" type="email" fill="username" isRequired />
              <TextField
                label="Password"
                name="password"
                type="password"
                fill="current-password"
                isRequired
                {...(!abilities.value.password_reset && {
                  note: "Forgotten? Ask an administrator of this portal to set another one.",
                })}
              />
            </Form>
            {abilities.value.password_reset && (
              <p>
                <a href={linkTo("forgotten")}>Forgot your password?</a>
              </p>
            )}
            {abilities.value.sign_up && (
              <p>
                No account yet? <a href={linkTo("sign-up")}>Sign up</a>
              </p>
            )}
            <details>
              <summary>Change the password</summary>
              <Form submit="Change the password" send={change}>
                <TextField label="E-mail address" name="username" type="email" fill="username" isRequired />
                <TextField
                  label="Present password"
                  name="password"
                  type="password"
                  fill="current-password"
                  isRequired
                />
                <TextField
                  label="New password"
                  name="new_password"
                  type="password"
                  fill="new-password"
                  note="6 characters at least, and none of the last six."
                  least={6}
                  isRequired
                />
              </Form>
            </details>
          </section>
          <section class="card" aria-labelledby="administrators-title">
            <h2 id="administrators-title">Administrators</h2>
            <Form id="token" submit="Open the administration" send={({ token = "" }) => enterWith(token)}>
              <TextField
                label="Access token"
                name="token"
                type="password"
                note="It stays in the memory of this page, and is gone when the page is."
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
  return explained("Wrong e-mail address or password.", () => logIn(username, password));
}

function enterWith(token: string): Promise<void> {
  return explained("The portal does not take this token.", () => enterToken(token));
}

async function change(values: Values): Promise<void> {
  await explained("Wrong e-mail address or present password.", () => changePassword(values));
  say("The password is changed. Log in with it.");
}

/** Says what to do where the server says only that it was refused. */
async function explained(words: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) throw new Error(words);
    throw error;
  }
}
