// Single sign-on. The server writes into the document of the page whether it is available.

import { t } from "./messages.ts";
import { askFor } from "./requests.ts";
import { route } from "./router.ts";
import { announceSession } from "./tabs.ts";

const offered = document.getElementById("app")?.dataset ?? {};

/** Whether users can sign in at an identity provider. */
export const isSignOnOffered = offered.signOn !== undefined;

/** Whether single sign-on is the only way to log in. */
export const isSignOnOnly = offered.only === "sign-on";

/** The user who signed in at the provider. */
export interface SignedOn {
  readonly role: string | null;
  readonly name: string | null;
}

/** A link to the provider that returns to the current view; renders nothing if single sign-on is not offered. */
export function SignOnLink({ path }: { readonly path: string }) {
  if (offered.signOn === undefined) return null;
  const view = route.value.map(encodeURIComponent).join("/");
  return (
    <p>
      <a id="sign-on" class="button main" href={`${path}?view=${encodeURIComponent(view)}`}>
        {t("kit.signIn", { name: offered.signOn })}
      </a>
    </p>
  );
}

/** Returns the user of the session; without single sign-on, there is none. */
export async function findSignedOn(path: string): Promise<SignedOn> {
  return isSignOnOffered ? askFor<SignedOn>("GET", `${path}/session`) : { role: null, name: null };
}

/** Ends the session, calls `forget`, then leaves the page to end the session at the provider, too. */
export async function signOut(path: string, forget: () => void): Promise<void> {
  const end = await askFor<{ readonly location: string }>("POST", `${path}/end`);
  forget();
  announceSession("");
  location.assign(end.location);
}
