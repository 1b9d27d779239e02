// Accounts of developers: signing up, resetting a password with a link, and changing it.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Abilities } from "../../runtime/portal/page/own-records.ts";
import { Form, TextField, type Values } from "../kit/forms.tsx";
import { Heading } from "../kit/parts.tsx";
import { askFor } from "../kit/requests.ts";
import { goTo, linkTo } from "../kit/router.ts";
import { say } from "../kit/toasts.tsx";
import { PortalBrand } from "./brand.tsx";
import { askOwn, enter, person, type Written } from "./interface.ts";
import { LanguageSwitch } from "./language.tsx";
import { t } from "./messages.ts";

/** The actions available without logging in; none until the server has responded. */
export const abilities = signal<Abilities>({ sign_up: false, password_reset: false });

/** Requests the available actions from the server. */
export async function readAbilities(): Promise<void> {
  abilities.value = await askFor<Abilities>("GET", "entrance/abilities");
}

/** Whether a view is for users without a session. Links in e-mails lead to such views. */
export function isAccountView(view: string): boolean {
  return view === "sign-up" || view === "forgotten" || view === "welcome" || view === "password";
}

/** Shows the views of `isAccountView`. */
export function AccountDoor({ view, token }: { readonly view: string; readonly token: string }) {
  if (view === "sign-up") {
    return <AskForLink title={t("door.signUp")} path="sign-up" text={t("account.signUpText")} />;
  }
  if (view === "forgotten") {
    return (
      <AskForLink title={t("account.anotherPassword")} path="password/link" text={t("account.anotherText")} />
    );
  }
  return <ChoosePassword isNew={view === "welcome"} token={token} />;
}

/** A page with one card, shown before logging in. */
function DoorCard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="door">
      <header>
        <PortalBrand />
        <LanguageSwitch />
      </header>
      <main>
        <section class="card">
          <h1>{title}</h1>
          {children}
          <p>
            <a href={linkTo()}>{t("account.back")}</a>
          </p>
        </section>
      </main>
    </div>
  );
}

function AskForLink(options: { readonly title: string; readonly path: string; readonly text: string }) {
  const { title, path, text } = options;
  const [sentTo, setSentTo] = useState<string>();
  const send = async ({ email = "" }: Values) => {
    await askFor<Written>("POST", `entrance/${path}`, { body: JSON.stringify({ email }) });
    setSentTo(email);
  };
  return (
    <DoorCard title={title}>
      {sentTo === undefined ? (
        <>
          <p>{text}</p>
          <Form id="ask" submit={t("account.sendLink")} send={send} keeps>
            <TextField label={t("word.address")} name="email" type="email" fill="username" isRequired />
          </Form>
        </>
      ) : (
        <div role="status">
          <p>{t("account.sent", { address: sentTo })}</p>
          <p>{t("account.noMail")}</p>
        </div>
      )}
    </DoorCard>
  );
}

function ChoosePassword({ isNew, token }: { readonly isNew: boolean; readonly token: string }) {
  const questions = isNew ? (abilities.value.sign_up_fields ?? []) : [];
  const send = async ({ password = "", ...values }: Values) => {
    const path = isNew ? "entrance/sign-up/complete" : "entrance/password/choose";
    const fields = Object.fromEntries(
      questions.flatMap(({ name }, index) => {
        const answer = values[`question-${index}`]?.trim() ?? "";
        return answer === "" ? [] : [[name, answer]];
      }),
    );
    const body = JSON.stringify({ token, password, ...(questions.length > 0 && { fields }) });
    const { Message } = await askFor<Written>("POST", path, { body });
    // If users have to log in after signing up, the next request will report it.
    if (isNew) enter({ kind: "developer", name: Message });
    else person.value = undefined;
    goTo();
    say(isNew ? t("account.welcome") : t("password.changedLogIn"));
  };
  return (
    <DoorCard title={isNew ? t("account.complete") : t("account.anotherPassword")}>
      <Form id="choose" submit={isNew ? t("door.signUp") : t("word.changePassword")} send={send} keeps>
        {questions.map(({ name, label, required }, index) => (
          <TextField
            key={name}
            label={label}
            name={`question-${index}`}
            most={1_000}
            isRequired={required}
            {...(!required && { note: t("word.optional") })}
          />
        ))}
        <TextField
          label={t("word.newPassword")}
          name="password"
          type="password"
          fill="new-password"
          note={t(isNew ? "password.rules" : "password.rulesOfLast")}
          least={6}
          isRequired
        />
      </Form>
      <p class="note">
        {t("account.once")} <a href={linkTo(isNew ? "sign-up" : "forgotten")}>{t("account.askAgain")}</a>
      </p>
    </DoorCard>
  );
}

/** The account of the logged-in developer. */
export function AccountView() {
  const change = async (values: Values) => {
    await askOwn<Written>("POST", "/password", values);
    say(t("password.changedSessions"));
  };
  return (
    <>
      <Heading title={t("nav.account")}>{t("account.text")}</Heading>
      <div class="card">
        <Form id="password" submit={t("word.changePassword")} send={change}>
          <PasswordFields />
        </Form>
      </div>
    </>
  );
}

/** The fields with which a developer changes a password. */
export function PasswordFields() {
  return (
    <>
      <TextField
        label={t("word.presentPassword")}
        name="password"
        type="password"
        fill="current-password"
        isRequired
      />
      <TextField
        label={t("word.newPassword")}
        name="new_password"
        type="password"
        fill="new-password"
        note={t("password.rulesOfLast")}
        least={6}
        isRequired
      />
    </>
  );
}
