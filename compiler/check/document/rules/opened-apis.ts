// Checks keys and clients of `gateway.yaml` against their APIs: a credential that no scheme of these APIs accepts opens
// nothing, and a client of a disabled flow receives no code.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SecurityScheme } from "../../../model/security-schemes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord, OauthModel } from "../../../model/settings.ts";
import { type DocumentNode, findEntry, findText } from "../../../trees/document.ts";
import { findField } from "../../../trees/fields.ts";

/** A credential as it is written, and the ids of its APIs. */
interface WrittenCredential {
  readonly node: DocumentNode;
  readonly use: AccessRecord["use"] | "oauth";
  /** The key that verifies its tokens; absent unless `use` is `jwt`, or if it is known only when the gateway starts. */
  readonly tokenKey?: string;
  readonly apis: readonly string[];
}

/** Reports each credential that opens none of its APIs, and clients of disabled flows. */
export function checkOpenedApis(set: SetModel, report: Report): void {
  const { keys, policies, oauth } = set.process;
  checkFlows(oauth, report);
  const ofPolicies = new Map(policies.map((policy) => [policy.id, policy.rights.map(({ key }) => key)]));
  const credentials = [
    ...keys.map((key) => keyOf(key, ofPolicies)),
    ...oauth.clients.map(
      ({ node, policy }): WrittenCredential => ({
        node,
        use: "oauth",
        apis: ofPolicies.get(findText(policy)) ?? [],
      }),
    ),
  ];
  for (const credential of credentials) {
    const apis = set.served.filter(({ id }) => credential.apis.includes(id));
    // The other APIs may be served elsewhere, which the check of their ids reports.
    if (apis.length === 0 || apis.length < credential.apis.length) continue;
    if (credential.use === "plain" && hasMisspeltUse(credential.node)) continue;
    // A user can authorise clients, whose OAuth tokens then open the APIs of the user.
    const tried =
      credential.use === "basic" && letsClientsAct(oauth)
        ? [credential, { ...credential, use: "oauth" as const }]
        : [credential];
    if (apis.some((api) => tried.some((each) => opens(api, each)))) continue;
    const names = apis.map(({ id }) => `\`${id}\``).join(", ");
    report("GW4227", credential.node.span, { use: credential.use, apis: names });
  }
}

/** The flows in which users authorise clients, and the fields of clients that only these flows read. */
const flows = {
  authorization_code: ["redirect_uri", "redirect_uris"],
  device_authorization: ["device_authorization"],
};

function letsClientsAct(oauth: OauthModel): boolean {
  return Object.keys(flows).some((flow) => stateOf(oauth, flow) === true);
}

/** Whether a flow is on; `undefined` if this is known only when the gateway is built. */
function stateOf({ fields }: OauthModel, flow: string): boolean | undefined {
  const field = findField(fields, flow);
  if (field === undefined) return false;
  return field.kind === "Literal" ? field.value === true : undefined;
}

/** Reports fields of clients that belong to a disabled flow: the clients receive no codes. */
function checkFlows(oauth: OauthModel, report: Report): void {
  for (const [flow, names] of Object.entries(flows)) {
    if (stateOf(oauth, flow) !== false) continue;
    for (const client of oauth.clients)
      for (const name of names) {
        const entry = findEntry(client.node, name);
        if (entry !== undefined && asksFor(entry.value))
          report("GW4033", entry.keySpan, { field: name, needs: [`oauth.${flow}: true`] });
      }
  }
}

/** Whether the value requests anything: `false`, an empty text and an empty list do not. */
function asksFor(node: DocumentNode): boolean {
  if (node.kind === "list") return node.items.length > 0;
  return node.kind === "scalar" && Boolean(node.value);
}

function keyOf(
  { node, rights, policies, hasPolicies, use, tokenKey: written }: AccessRecord,
  ofPolicies: ReadonlyMap<string | undefined, readonly string[]>,
): WrittenCredential {
  const ofKey = hasPolicies
    ? policies.flatMap(({ id }) => ofPolicies.get(id) ?? [])
    : rights.map(({ key }) => key);
  const tokenKey = findText(written);
  const isKnown = tokenKey !== undefined && !tokenKey.includes("${");
  return { node, use, apis: [...new Set(ofKey)], ...(isKnown && { tokenKey }) };
}

/** Whether a field under a misspelt name, which is reported, says what kind of credential it is. */
function hasMisspeltUse(node: DocumentNode): boolean {
  const keys = node.kind === "map" ? node.entries.map(({ key }) => key) : [];
  return keys.some((key) => nearest(key, ["username", "jwt_data", "hmac_secret"]).closest !== undefined);
}

/** Whether a credential of this kind can let a request in, alone or together with others. */
function opens({ authentication, versioning }: ApiModel, credential: WrittenCredential): boolean {
  const { isRequired, schemes, security } = authentication;
  // Each version has requirements of its own.
  if (versioning !== undefined) return true;
  if (!isRequired || security.required.length === 0) return true;
  return security.required.some(({ name }) => {
    const scheme = schemes.get(name);
    return scheme === undefined || scheme.kind === undefined || accepts(scheme, credential);
  });
}

function accepts(
  { kind, verification, signingMethod }: SecurityScheme,
  { use, tokenKey }: WrittenCredential,
): boolean {
  switch (kind) {
    case "auth-token":
    case "mutual-tls":
      return use === "plain";
    case "basic":
      return use === "basic";
    case "signature":
      return use === "hmac";
    case "oauth2":
      return use === "oauth" && verification === "own";
    case "jwt":
      return use === "jwt" && verification === "own" && fits(tokenKey, signingMethod);
    default:
      return false;
  }
}

/** Whether a key can be of the kind that a signing method needs: a secret, or a public key or its address. */
function fits(key: string | undefined, method: string | undefined): boolean {
  if (key === undefined || method === undefined || method.includes("${")) return true;
  const isShared = method === "hmac" || method.startsWith("HS");
  const isPublic = key.includes("-----BEGIN ") || /^\s*https?:\/\//i.test(key);
  return isShared !== isPublic;
}
