// Who may call an API, as far as its document and its settings say, in words for people and programs.

import { asksWhoCalls, requirementsAt, type SecurityRequirement, securityOf } from "../model/security.ts";
import type { ApiDocument, ApiSet } from "../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../trees/document.ts";
import type { AccessPlan, CallersPlan } from "./plan.ts";

/** Who may call a path of an API with a verb; the path is below the listen path, as the document writes it. */
export type FindCallers = (verb: string, path: string) => CallersPlan;

/** As `requirementsAt` finds them. */
export function planCallers(api: ApiDocument): FindCallers {
  if (!asksWhoCalls(api)) return () => "open";
  const security = securityOf(api);
  return (verb, path) => callersOf(requirementsAt(security, verb, path));
}

function callersOf(requirements: readonly SecurityRequirement[]): CallersPlan {
  if (requirements.length === 0 || requirements.every(({ schemes }) => schemes.length === 0)) return "open";
  return requirements.map(({ schemes }) =>
    Object.fromEntries(schemes.map(({ name, scopes }) => [name, scopes])),
  );
}

/** What the document and the settings say of who may call. */
export function planAccess(api: ApiDocument, { settings }: ApiSet): AccessPlan {
  if (!asksWhoCalls(api)) return { callers: "open", operations: [], policies: [], keys: [] };
  const { general, operations } = securityOf(api);
  const policies = recordsOf(settings, "policies").filter((policy) => isRight(policy, api));
  const ids = policies.flatMap((policy) => findText(policy, "id") ?? findText(policy, "_id") ?? []);
  const keys = recordsOf(settings, "keys").filter((key) => opens(key, api, ids));
  return {
    callers: callersOf(general),
    operations: operations.map(({ verb, path, requirements }) => ({
      verb,
      path,
      callers: callersOf(requirements),
    })),
    policies: ids,
    keys: keys.map((key) => findText(key, "alias") ?? findText(key, "username") ?? ""),
  };
}

/** A key has the rights of its policies, and its own where they give none; with neither it opens everything. */
function opens(key: DocumentNode, api: ApiDocument, policies: readonly string[]): boolean {
  const named = findNode(key, "apply_policies");
  const applied = named?.kind === "list" ? named.items.flatMap((item) => findText(item) ?? []) : [];
  if (applied.some((id) => policies.includes(id)) || isRight(key, api)) return true;
  return applied.length === 0 && findEntry(key, "access_rights") === undefined;
}

function recordsOf(settings: DocumentNode | undefined, name: string): readonly DocumentNode[] {
  const list = findNode(settings, name);
  return list?.kind === "list" ? list.items : [];
}

function isRight(record: DocumentNode, { id }: ApiDocument): boolean {
  return findNode(record, "access_rights", id) !== undefined;
}
