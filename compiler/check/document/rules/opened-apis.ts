// Keys and clients of `gateway.yaml` against the APIs that they are for: a credential that no scheme of these accepts
// opens nothing, and one that is for a flow that is off gets nothing.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SecurityScheme } from "../../../model/security.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord, OauthModel } from "../../../model/settings.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../../trees/document.ts";
import { findField, literalText } from "../../../trees/fields.ts";

/** What a key is used as; a plain one is sent, or stands for a certificate. */
type KeyUse = "plain" | "basic" | "jwt" | "hmac" | "oauth";

/** A credential as it is written, and the ids of the APIs that it is for. */
interface WrittenCredential {
  readonly node: DocumentNode;
  readonly use: KeyUse;
  /** What verifies its tokens; absent where it is none of `jwt`, or only known when the gateway starts. */
  readonly tokenKey?: string;
  readonly apis: readonly string[];
}

/** Reports each credential that opens none of the APIs that it is for, and clients of flows that are off. */
export function checkOpenedApis(set: SetModel, report: Report): void {
  const { keys, policies, oauth } = set.process;
  checkFlows(oauth, report);
  const ofPolicies = new Map(policies.map((policy) => [policy.id, policy.rights.map(({ key }) => key)]));
  const credentials = [
    ...keys.map((key) => keyOf(key, ofPolicies)),
    ...oauth.clients.map((node): WrittenCredential => {
      const policy = findText(findNode(node, "policy_id"));
      return { node, use: "oauth", apis: ofPolicies.get(policy) ?? [] };
    }),
  ];
  for (const credential of credentials) {
    const apis = set.served.filter(({ id }) => credential.apis.includes(id));
    // Others may be served elsewhere, which is said of their names.
    if (apis.length === 0 || apis.length < credential.apis.length) continue;
    // A user lets clients act in its place, whose tokens open what it may call.
    const tried =
      credential.use === "basic" && letsClientsAct(oauth)
        ? [credential, { ...credential, use: "oauth" as const }]
        : [credential];
    if (apis.some((api) => tried.some((each) => opens(api, each)))) continue;
    const names = apis.map(({ id }) => `\`${id}\``).join(", ");
    report("GW4227", credential.node.span, { use: credential.use, apis: names });
  }
}

/** The flows in which users let clients act in their place, and the fields of clients that only these read. */
const flows = {
  authorization_code: ["redirect_uri", "redirect_uris"],
  device_authorization: ["device_authorization"],
};

function letsClientsAct(oauth: OauthModel): boolean {
  return Object.keys(flows).some((flow) => stateOf(oauth, flow) === true);
}

/** Whether a flow is on; `undefined` where that is only known when the gateway is built. */
function stateOf({ fields }: OauthModel, flow: string): boolean | undefined {
  const field = findField(fields, flow);
  if (field === undefined) return false;
  return field.kind === "Literal" ? field.value === true : undefined;
}

/** Reports what clients say for a flow that is off: they get no codes. */
function checkFlows(oauth: OauthModel, report: Report): void {
  for (const [flow, names] of Object.entries(flows)) {
    if (stateOf(oauth, flow) !== false) continue;
    for (const client of oauth.clients)
      for (const name of names) {
        const entry = findEntry(client, name);
        if (entry !== undefined && asksFor(entry.value))
          report("GW4033", entry.keySpan, { field: name, needs: [`oauth.${flow}: true`] });
      }
  }
}

/** `false`, an empty text and an empty list ask for nothing. */
function asksFor(node: DocumentNode): boolean {
  if (node.kind === "list") return node.items.length > 0;
  return node.kind === "scalar" && Boolean(node.value);
}

function keyOf(
  { node, rights, policies, hasPolicies }: AccessRecord,
  ofPolicies: ReadonlyMap<string | undefined, readonly string[]>,
): WrittenCredential {
  const ofKey = hasPolicies
    ? policies.flatMap(({ id }) => ofPolicies.get(id) ?? [])
    : rights.map(({ key }) => key);
  const apis = [...new Set(ofKey)];
  const secret = findNode(node, "jwt_data", "secret");
  if (secret !== undefined) {
    const text = findText(secret);
    const isKnown = text !== undefined && !text.includes("${");
    return { node, use: "jwt", apis, ...(isKnown && { tokenKey: text }) };
  }
  if (findNode(node, "hmac_secret") !== undefined) return { node, use: "hmac", apis };
  return { node, use: findNode(node, "username") === undefined ? "plain" : "basic", apis };
}

/** Whether a credential of this kind may let a request in, alone or beside others. */
function opens({ authentication, versioning }: ApiModel, credential: WrittenCredential): boolean {
  const { isRequired, schemes, security } = authentication;
  // Its versions ask for what they like.
  if (versioning !== undefined) return true;
  if (!isRequired || security.asked.length === 0) return true;
  return security.asked.some(({ name }) => {
    const scheme = schemes.get(name);
    return scheme === undefined || scheme.kind === undefined || accepts(scheme, credential);
  });
}

function accepts(
  { kind, verification, settings }: SecurityScheme,
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
      return (
        use === "jwt" &&
        verification === "own" &&
        fits(tokenKey, literalText(findField(settings, "signingMethod")))
      );
    default:
      return false;
  }
}

/** Whether a key may be of the kind that a method of signing needs: a secret, or a public key or its address. */
function fits(key: string | undefined, method: string | undefined): boolean {
  if (key === undefined || method === undefined || method.includes("${")) return true;
  const isShared = method === "hmac" || method.startsWith("HS");
  const isPublic = key.includes("-----BEGIN ") || /^\s*https?:\/\//i.test(key);
  return isShared !== isPublic;
}
