// Who may call, in words for people.

import type { RoutedPath } from "../../http/incoming/operation-table.ts";
import type { Callers } from "../../protection.ts";
import type { AuthenticationMethod, Identity } from "./method.ts";
import { createOperationTable } from "./operations.ts";

export interface AuthenticationOptions {
  /** By name of the scheme. */
  readonly methods: Readonly<Record<string, AuthenticationMethod>>;
  /** What requests have to satisfy one of, unless they are for one of `operations`; with none at all no credential is required. */
  readonly requirements: WrittenRequirements;
  readonly operations?: readonly {
    readonly path: string;
    readonly verb: string;
    /** Absent where it asks for what the API does. */
    readonly requirements?: WrittenRequirements;
  }[];
  readonly baseIdentityProvider?: Identity | "";
  /** Upstreams do not see credentials either; streams never do. */
  readonly stripAuthorizationData?: boolean;
}

/** `[{ key: [] }, { token: ["read"] }]`: schemes by name with their scopes, as documents write them. */
export type WrittenRequirements = readonly Readonly<Record<string, readonly string[]>>[];

/** What `authentication` asks of requests, found in the table that it enforces by. */
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
      const asked = [...new Set(texts)].filter((text) => text !== open);
      return asked.length === 0 ? open : asked.join(", and ");
    },
  };
}

const open = "open";

/** `key or token (scope orders:read)`: any of the requirements lets a caller in. `open` where none asks for a credential. */
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
