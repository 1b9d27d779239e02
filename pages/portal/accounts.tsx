// Accounts of developers: signing up, choosing another password by a link, and changing it.

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
import { askOwn, person, type Written } from "./interface.ts";

/** What people can do without logging in; nothing until the server has said so. */
export const abilities = signal<Abilities>({ sign_up: false, password_reset: false });

/** Asks the server for that. */
export async function readAbilities(): Promise<void> {
  abilities.value = await askFor<Abilities>("GET", "entrance/abilities");
}

/** Whether a view is for people without a session: links in e-mails lead to these. */
export function isAccountView(view: string): boolean {
  return view === "sign-up" || view === "forgotten" || view === "welcome" || view === "password";
}

/** The views of `isAccountView`. */
export function AccountDoor({ view, token }: { readonly view: string; readonly token: string }) {
  if (view === "sign-up") {
    return (
      <AskForLink
        title="Sign up"
        path="sign-up"
        text="You get an e-mail with a link. It leads to the page where you choose your password."
      />
    );
  }
  if (view === "forgotten") {
    return (
      <AskForLink
        title="Choose another password"
        path="password/link"
        text="You get an e-mail with a link. It leads to the page where you choose another password."
      />
    );
  }
  return <ChoosePassword isNew={view === "welcome"} token={token} />;
}

/** A page in front of the portal with one card. */
function DoorCard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="door">
      <header>
        <PortalBrand />
      </header>
      <main>
        <section class="card">
          <h1>{title}</h1>
          {children}
          <p>
            <a href={linkTo()}>Back to the login</a>
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
          <Form id="ask" submit="Send me the link" send={send} keeps>
            <TextField label="E-mail address" name="email" type="email" fill="username" isRequired />
          </Form>
        </>
      ) : (
        <div role="status">
          <p>
            If <strong>{sentTo}</strong> can be used here, an e-mail with a link is on its way.
          </p>
          <p>No e-mail after a few minutes? Look into the folder for spam, and check the address.</p>
        </div>
      )}
    </DoorCard>
  );
}

function ChoosePassword({ isNew, token }: { readonly isNew: boolean; readonly token: string }) {
  const asked = isNew ? (abilities.value.sign_up_fields ?? []) : [];
  const send = async ({ password = "", ...values }: Values) => {
    const path = isNew ? "entrance/sign-up/complete" : "entrance/password/choose";
    const fields = Object.fromEntries(
      asked.flatMap(({ name }, index) => {
        const answer = values[`asked-${index}`]?.trim() ?? "";
        return answer === "" ? [] : [[name, answer]];
      }),
    );
    const body = JSON.stringify({ token, password, ...(asked.length > 0 && { fields }) });
    const { Message } = await askFor<Written>("POST", path, { body });
    // Where people log in themselves after they signed up, the next request says so.
    person.value = isNew ? { kind: "developer", name: Message } : undefined;
    goTo();
    say(isNew ? "Welcome! Your account is there." : "The password is changed. Log in with it.");
  };
  return (
    <DoorCard title={isNew ? "Complete your registration" : "Choose another password"}>
      <Form id="choose" submit={isNew ? "Sign up" : "Change the password"} send={send} keeps>
        {asked.map(({ name, label, required }, index) => (
          <TextField
            key={name}
            label={label}
            name={`asked-${index}`}
            most={1_000}
            isRequired={required}
            {...(!required && { note: "Optional." })}
          />
        ))}
        <TextField
          label="New password"
          name="password"
          type="password"
          fill="new-password"
          note={`6 characters at least${isNew ? "" : ", and none of the last six"}.`}
          least={6}
          isRequired
        />
      </Form>
      <p class="note">
        The link can be used once. Too old?{" "}
        <a href={linkTo(isNew ? "sign-up" : "forgotten")}>Ask for another one</a>.
      </p>
    </DoorCard>
  );
}

/** The account of who has logged in. */
export function AccountView() {
  const change = async (values: Values) => {
    await askOwn<Written>("POST", "/password", values);
    say("The password is changed. Your other sessions have ended.");
  };
  return (
    <>
      <Heading title="Account">Your password. Changing it ends your sessions in other browsers.</Heading>
      <div class="card">
        <Form id="password" submit="Change the password" send={change}>
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
      </div>
    </>
  );
}
