// Asking for access: what an administrator has to know, by what the API asks callers for.

import type { Offer } from "../../runtime/portal/page/own-records.ts";
import { openDialog } from "../kit/dialogs.tsx";
import { Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import { Refusal } from "../kit/requests.ts";
import { askOwn, type Written } from "./interface.ts";

/** What came of asking: a credential where none had to approve it, `undefined` where the developer has asked before. */
export type AskedAccess = { readonly credential: Written["Meta"] } | { readonly isRepeated: true };

/** Opens the form; resolves to what came of it, or to `undefined` where the developer closed it. */
export function askForAccess(offer: Offer, signal: AbortSignal): Promise<AskedAccess | undefined> {
  return openDialog<AskedAccess>(
    `Ask for access to ${offer.name || offer.policy}`,
    (close) => (
      <Form
        id="asking"
        submit="Ask for access"
        keeps
        send={async (values) => close(await send(offer, values))}
        beside={
          <button type="button" onClick={() => close()}>
            Cancel
          </button>
        }
      >
        <Proof kind={offer.auth_type} />
        <LongField
          label="What you want to do with it"
          name="purpose"
          rows={3}
          note="For the administrator who approves it; may be left empty."
        />
      </Form>
    ),
    { signal },
  );
}

/** What the credential is made of, where the developer has to bring something. */
function Proof({ kind }: { readonly kind: string }) {
  if (kind === "oauth")
    return (
      <TextField
        label="Address that users return to"
        name="redirect_uri"
        type="url"
        hint="https://"
        note="Needed where users allow your client to act for them; otherwise leave it empty."
      />
    );
  if (kind === "jwt")
    return (
      <LongField
        label="Public key, or address of your key set"
        name="jwt_secret"
        rows={5}
        note="In PEM, or as https://… of a JSON Web Key Set. Left empty, a shared secret is made for you."
      />
    );
  if (kind === "mutualTLS")
    return (
      <LongField
        label="Certificate or certificate request"
        name="certificate"
        rows={5}
        note="In PEM. A request is signed where this portal has an authority; your private key stays with you."
        isRequired
      />
    );
  return null;
}

async function send(offer: Offer, values: Values): Promise<AskedAccess> {
  const { purpose = "", ...proof } = values;
  const named = Object.entries(proof).filter(([, value]) => value.trim() !== "");
  const body = {
    policy: offer.policy,
    ...Object.fromEntries(named),
    ...(purpose.trim() !== "" && { fields: { purpose } }),
  };
  try {
    const { Meta } = await askOwn<Written>("POST", "/requests", body);
    return { credential: Meta };
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) return { isRepeated: true };
    throw error;
  }
}
