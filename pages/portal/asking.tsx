// Requests access: asks for what an administrator needs, depending on the API's authentication.

import type { Offer } from "../../runtime/portal/page/own-records.ts";
import { openDialog } from "../kit/dialogs.tsx";
import { Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import { Refusal } from "../kit/requests.ts";
import type { Written } from "./interface.ts";
import { t } from "./messages.ts";
import type { Owner } from "./owner.tsx";

/**
 * The result of a request: a credential if no approval is needed, or `isRepeated` if the developer has requested it
 * before.
 */
export type RequestedAccess = { readonly credential: Written["Meta"] } | { readonly isRepeated: true };

/** Opens the form. Resolves with the result, or with `undefined` if the developer closes it. */
export function askForAccess(
  owner: Owner,
  offer: Offer,
  signal: AbortSignal,
): Promise<RequestedAccess | undefined> {
  return openDialog<RequestedAccess>(
    t("asking.title", { name: offer.name || offer.policy }),
    (close) => (
      <Form
        id="asking"
        submit={t("asking.ask")}
        send={async (values) => close(await send(owner, offer, values))}
        close={close}
      >
        <Proof kind={offer.auth_type} />
        <LongField label={t("asking.purpose")} name="purpose" rows={3} note={t("asking.purposeNote")} />
      </Form>
    ),
    { signal },
  );
}

/** The fields for what the developer has to supply for the credential. */
export function Proof({ kind, isNext = false }: { readonly kind: string; readonly isNext?: boolean }) {
  if (kind === "oauth")
    return (
      <TextField
        label={t("asking.redirect")}
        name="redirect_uri"
        type="url"
        hint="https://"
        note={t("asking.redirectNote")}
      />
    );
  if (kind === "jwt")
    return (
      <LongField
        label={t("asking.publicKey")}
        name="jwt_secret"
        rows={5}
        note={t(isNext ? "keys.nextKeyNote" : "asking.publicKeyNote")}
      />
    );
  if (kind === "mutualTLS")
    return (
      <LongField
        label={t("asking.certificate")}
        name="certificate"
        rows={5}
        note={t("asking.certificateNote")}
        isRequired
      />
    );
  return null;
}

/** Returns the supplied values, without empty fields. */
export function broughtIn(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
}

async function send(owner: Owner, offer: Offer, values: Values): Promise<RequestedAccess> {
  const { purpose = "", ...proof } = values;
  const body = {
    policy: offer.policy,
    ...broughtIn(proof),
    ...(purpose.trim() !== "" && { fields: { purpose } }),
  };
  try {
    const { Meta } = await owner.ask<Written>("POST", "/requests", body);
    return { credential: Meta };
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) return { isRepeated: true };
    throw error;
  }
}
