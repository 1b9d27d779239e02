// Describes in words who may call.

import type { RoutedPath } from "../../http/incoming/operation-table.ts";
import type { Callers } from "../../protection.ts";
import type { AuthenticationMethod, Identity } from "./method.ts";
import { createOperationTable } from "./operations.ts";

export interface AuthenticationOptions {
  /** The methods by name of the scheme. */
  readonly methods: Readonly<Record<string, AuthenticationMethod>>;
  /** Requests must satisfy one of these, except those of `operations`; if empty, no credential is required. */
  readonly requirements: WrittenRequirements;
  readonly operations?: readonly {
    readonly path: string;
    readonly verb: string;
    /** Absent if the operation has the requirements of the API. */
    readonly requirements?: WrittenRequirements;
  }[];
  readonly baseIdentityProvider?: Identity | "";
  /** Whether credentials are hidden from upstreams; streams never see them. */
  readonly stripAuthorizationData?: boolean;
}

/** `[{ key: [] }, { token: ["read"] }]`: schemes by name with their scopes, as in documents. */
export type WrittenRequirements = readonly Readonly<Record<string, readonly string[]>>[];

/** Describes what `authentication` requires, from the table that it enforces. */
export function describeCallers(
  options: Pick<AuthenticationOptions, "methods" | "requirements" | "operations">,
): Callers {
  const { methods, requirements: general, operations = [] } = options;
  const find = createOperationTable(
    operations.map(({ path, verb, requirements = general }) => ({
      path,
      verb,
      requirements: requirements.map(toRequirement),
    })),
    general.map(toRequirement),
  );
  return {
    accepted: Object.values(methods).flatMap(({ accepts }) => accepts ?? []),
    operations: operations.filter(({ requirements }) => requirements !== undefined),
    callersOf(verb: string, place: RoutedPath) {
      const texts = find(verb, place).map((each) => describeRequirements(each.map(Object.fromEntries)));
      const required = [...new Set(texts)].filter((text) => text !== open);
      return required.length === 0 ? open : required.join(", and ");
    },
  };
}

const open = "open";

/** Returns a text such as `key or token (scope orders:read)`; `open` if no requirement needs a credential. */
export function describeRequirements(requirements: WrittenRequirements): string {
  const texts = requirements.map((requirement) => Object.entries(requirement).map(describeScheme));
  if (texts.every((schemes) => schemes.length === 0)) return open;
  return texts
    .map((schemes) => (schemes.length === 0 ? "no credential" : schemes.join(" and ")))
    .join(" or ");
}

function describeScheme([name, scopes]: readonly [string, readonly string[]]): string {
  if (scopes.length === 0) return name;
  return `${name} (${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")})`;
}

function toRequirement(written: WrittenRequirements[number]): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(written));
}
