// Whether a credential opens the APIs that its policies are for: what no scheme of them accepts is refused before it is
// given out.

import type { AcceptedCredential, CredentialKind, FindAccepted } from "../../keys/accepted-credentials.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import { refusal } from "../../rest/answers.ts";
import type { KnownPolicy } from "../policies/known-policies.ts";

/** The APIs of some policies, and the credentials that they accept, each API at least one scheme's. */
export interface CredentialOpening {
  /** Ids. */
  readonly apis: readonly string[];
  readonly accepted: readonly AcceptedCredential[];
}

/**
 * What the APIs of these policies accept. `undefined` where one of them may accept anything: it is open, or another
 * gateway serves it; and where the policies name no API.
 */
export function findOpening(
  policies: readonly KnownPolicy[],
  acceptedBy: FindAccepted,
): CredentialOpening | undefined {
  const apis = [...new Set(policies.flatMap(({ access_rights: rights = {} }) => Object.keys(rights)))];
  const accepted = apis.map(acceptedBy);
  if (apis.length === 0 || accepted.some((each) => each === undefined)) return undefined;
  return { apis, accepted: accepted.flatMap((each) => each ?? []) };
}

/** Names of kinds, as `auth_type` of a catalogue entry writes them. */
const authTypes: Readonly<Record<CredentialKind, string>> = {
  token: "authToken",
  basic: "basic",
  oauth: "oauth",
  jwt: "jwt",
  hmac: "hmac",
  mutualTLS: "mutualTLS",
};

/** Throws a `refusal` (400) where none of the APIs accepts a credential of one of these kinds. */
export function refuseUnfit(kinds: readonly CredentialKind[], opening: CredentialOpening | undefined): void {
  if (opening === undefined || opening.accepted.some(({ kind }) => kinds.includes(kind))) return;
  const [kind = "token"] = kinds;
  const accepted = [...new Set(opening.accepted.map((each) => authTypes[each.kind]))];
  const apis = opening.apis.map((id) => `\`${id}\``).join(", ");
  const instead =
    accepted.length === 0
      ? "accept only credentials that the portal does not give out"
      : `accept ${accepted.map((each) => `\`${each}\``).join(", ")}`;
  const verb = opening.apis.length === 1 ? instead.replace("accept ", "accepts ") : instead;
  throw refusal(
    400,
    `A credential of the type \`${authTypes[kind]}\` would open nothing: ${apis} ${verb}. Change \`auth_type\` in the catalogue.`,
  );
}

/** What a key that is there may be used as: that a certificate stands for it, its record does not say. */
export function kindsOf(record: StoredKey): readonly CredentialKind[] {
  if ((record.hmac_secret ?? "") !== "") return ["hmac"];
  if ((record.jwt_data?.secret ?? "") !== "") return ["jwt"];
  return record.basic_auth_data === undefined ? ["token", "mutualTLS"] : ["basic"];
}
