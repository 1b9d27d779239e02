// What each organisation is allowed and assigned by the settings of the service.

import type { Tenant } from "../../compiler/compile-definition.ts";
import { type AssignedHosts, normaliseHost } from "../../runtime/gateway/artifact/assigned-hosts.ts";

/** What `organisations.ID` of `management.yaml` says. */
export interface OrganisationSettings {
  /** Environment variables that its definitions may read; a `*` at the end stands for the rest of a name. */
  readonly variables?: readonly string[];
  /** Files that they may use, by absolute paths; with `/` at the end, all files below. */
  readonly files?: readonly string[];
  /** Host names that no other organisation may use; `*.example.com` stands for all below. */
  readonly hosts?: readonly string[];
  /** Path prefixes that no other organisation may listen at. */
  readonly paths?: readonly string[];
  /** What its names on brokers begin with; absent: with anything but what is given to others. */
  readonly consumer_groups?: readonly string[];
}

/** Places that the settings assign. */
export interface AssignedPlaces {
  /** Of every organisation. */
  readonly hosts: AssignedHosts;
  /** Path prefixes of the other organisations. */
  readonly paths: readonly string[];
}

/** The organisations of an installation. One that the settings do not name may read nothing. */
export class Tenants {
  readonly #settings: ReadonlyMap<string, OrganisationSettings>;

  constructor(settings: Readonly<Record<string, OrganisationSettings>> = {}) {
    this.#settings = new Map(Object.entries(settings));
  }

  /** What definitions of an organisation may read. */
  tenantOf(organisation: string): Tenant {
    const { variables = [], files = [], consumer_groups: groups } = this.#settings.get(organisation) ?? {};
    const groupsOfOthers = this.#others(organisation).flatMap(({ consumer_groups = [] }) => consumer_groups);
    return { organisation, variables, files, ...(groups !== undefined && { groups }), groupsOfOthers };
  }

  /** What an organisation's definitions are checked against. */
  assignedFor(organisation: string): AssignedPlaces {
    return { hosts: this.hosts, paths: this.#others(organisation).flatMap(({ paths = [] }) => paths) };
  }

  /** Host names by organisation, as in the manifest of a deployment; organisations without host names are left out. */
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

  /** The same text for the same settings: what was compiled under others is compiled again. */
  get fingerprint(): string {
    return JSON.stringify([...this.#settings].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
