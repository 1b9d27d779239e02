// Developers who sign in at a provider.

import { GatewayError } from "../../errors.ts";
import { refusal } from "../../rest/answers.ts";
import { subjectKey } from "../../sign-on/host.ts";
import type { SignedIn } from "../../sign-on/provider.ts";
import { isAddress } from "../developers/addresses.ts";
import { lockDeveloper, writeDeveloper } from "../developers/developer-records.ts";
import { createDeveloper, findDeveloper } from "../developers/developers.ts";
import type { DeveloperRecord } from "../developers/owner-records.ts";
import type { Services } from "../operation.ts";

/** Whose accounts may be made and found. */
export interface AccountRules {
  /** Whether a person without an account gets one. */
  readonly creates: boolean;
  /** Whether an account without `sso_key` is found by an e-mail address that the provider has verified. */
  readonly linksByEmail: boolean;
}

/**
 * The developer whose `sso_key` names the issuer and the subject. Otherwise, as the rules allow, the one with the verified
 * e-mail address, or a new one. An error says why there is none.
 */
export async function developerOf(
  services: Pick<Services, "store" | "passwords">,
  organisation: string,
  { claims }: Pick<SignedIn, "claims">,
  rules: AccountRules,
): Promise<DeveloperRecord | GatewayError> {
  const { store } = services;
  const key = subjectKey(claims);
  const find = (column: "id" | "email" | "sso_key", value: string) =>
    store.read((connection) => findDeveloper(connection, organisation, column, value));
  const known = await find("sso_key", key);
  if (known !== undefined) return active(known);
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== "string" || !isAddress(email) || isVerified !== true)
    return refusal(403, "There is no account for you, and the provider names no verified e-mail address.");
  const namesake = await find("email", email);
  if (namesake !== undefined) {
    if (!rules.linksByEmail || (namesake.sso_key ?? "") !== "") return taken();
    return link(services, organisation, namesake.id, key);
  }
  if (!rules.creates) return refusal(403, "There is no account for you. Ask an administrator for one.");
  const made = await create(services, organisation, { email, key });
  if (made instanceof GatewayError) return made;
  return (await find("id", made)) ?? taken();
}

function active(developer: DeveloperRecord): DeveloperRecord | GatewayError {
  return developer.inactive === true ? refusal(403, "Your account is inactive.") : developer;
}

function taken(): GatewayError {
  return refusal(
    403,
    "Another account has your e-mail address. Ask an administrator to connect it with you.",
  );
}

/** Connects an account that has not been connected meanwhile. */
function link(
  { store }: Pick<Services, "store">,
  organisation: string,
  id: string,
  key: string,
): Promise<DeveloperRecord | GatewayError> {
  return store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined || (developer.sso_key ?? "") !== "") return taken();
    const linked = { ...developer, sso_key: key };
    if (developer.inactive !== true) await writeDeveloper(connection, linked);
    return active(linked);
  });
}

/** The id of a new account; what the portal refuses of it, it says to the person. */
async function create(
  services: Pick<Services, "store" | "passwords">,
  organisation: string,
  { email, key }: { readonly email: string; readonly key: string },
): Promise<string | GatewayError> {
  try {
    return await createDeveloper(services, organisation, { email, sso_key: key });
  } catch (error) {
    // Two first sign-ins at once, or an address that is not one.
    if (error instanceof GatewayError && error.status < 500) return error.status === 409 ? taken() : error;
    throw error;
  }
}
