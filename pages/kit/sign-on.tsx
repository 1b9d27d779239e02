// Single sign-on, as the document of a page offers it: the server has written it into the place of the page.

import { t } from "./messages.ts";
import { askFor } from "./requests.ts";
import { route } from "./router.ts";

const offered = document.getElementById("app")?.dataset ?? {};

/** Whether people sign in at a provider. */
export const isSignOnOffered = offered.signOn !== undefined;

/** Whether there is no other way in. */
export const isSignOnOnly = offered.only === "sign-on";

/** The person who signed in at the provider. */
export interface SignedOn {
  readonly role: string | null;
  readonly name: string | null;
}

/** The way to the provider, and back to the present view; nothing where there is none. */
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

/** Asks who has a session; no one where the page does not offer one. */
export async function findSignedOn(path: string): Promise<SignedOn> {
  return isSignOnOffered ? askFor<SignedOn>("GET", `${path}/session`) : { role: null, name: null };
}

/** Ends the session here, and leaves the page to end it at the provider. */
export async function signOut(path: string): Promise<void> {
  const end = await askFor<{ readonly location: string }>("POST", `${path}/end`);
  location.assign(end.location);
}
