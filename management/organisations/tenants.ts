// What the settings of the service allow and assign to each organisation.

import type { Tenant } from "../../compiler/compile-definition.ts";
import { type AssignedHosts, normaliseHost } from "../../runtime/gateway/artifact/assigned-hosts.ts";

/** The settings at `organisations.ID` of `management.yaml`. */
export interface OrganisationSettings {
  /** Environment variables that its definitions may read. A `*` at the end matches the rest of a name. */
  readonly variables?: readonly string[];
  /** Files that its definitions may use, as absolute paths. A `/` at the end includes all files below. */
  readonly files?: readonly string[];
  /** Host names that no other organisation may use. `*.example.com` includes all subdomains. */
  readonly hosts?: readonly string[];
  /** Path prefixes at which no other organisation may listen. */
  readonly paths?: readonly string[];
  /** Required prefixes of its names on brokers. If absent, any prefix except those of other organisations. */
  readonly consumer_groups?: readonly string[];
}

/** The places that the settings assign. */
export interface AssignedPlaces {
  /** The host names of every organisation. */
  readonly hosts: AssignedHosts;
  /** The path prefixes of the other organisations. */
  readonly paths: readonly string[];
}

/** The organisations of an installation. An organisation without settings may read nothing. */
export class Tenants {
  readonly #settings: ReadonlyMap<string, OrganisationSettings>;

  constructor(settings: Readonly<Record<string, OrganisationSettings>> = {}) {
    this.#settings = new Map(Object.entries(settings));
  }

  /** Returns the rights of an organisation's definitions. */
  tenantOf(organisation: string): Tenant {
    const { variables = [], files = [], consumer_groups: groups } = this.#settings.get(organisation) ?? {};
    const groupsOfOthers = this.#others(organisation).flatMap(({ consumer_groups = [] }) => consumer_groups);
    return { organisation, variables, files, ...(groups !== undefined && { groups }), groupsOfOthers };
  }

  /** Returns the assigned places against which an organisation's definitions are checked. */
  assignedFor(organisation: string): AssignedPlaces {
    return { hosts: this.hosts, paths: this.#others(organisation).flatMap(({ paths = [] }) => paths) };
  }

  /** Host names by organisation, as in the manifest of a deployment. Omits organisations without host names. */
  get hosts(): AssignedHosts {
    const named = [...this.#settings].flatMap(([name, { hosts = [] }]) => {
      const normalised = [...new Set(hosts.map(normaliseHost))].sort();
      return normalised.length === 0 ? [] : [[name, normalised] as const];
    });
    return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #others(organisation: string): readonly OrganisationSettings[] {
    return [...this.#settings].flatMap(([name, each]) => (name === organisation ? [] : [each]));
  }

  /** A text that identifies the settings. If it changes, everything is compiled again. */
  get fingerprint(): string {
    return JSON.stringify([...this.#settings].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
