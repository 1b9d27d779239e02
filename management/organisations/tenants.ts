// What each organisation is allowed and assigned by the settings of the service.

import type { Tenant } from "../../compiler/compile-definition.ts";

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
  /** What its names on brokers begin with; absent: they are not checked. */
  readonly consumer_groups?: readonly string[];
}

/** Host names and path prefixes. */
export interface AssignedPlaces {
  readonly hosts: readonly string[];
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
    return { organisation, variables, files, ...(groups !== undefined && { groups }) };
  }

  /** What belongs to the other organisations. */
  assignedToOthers(organisation: string): AssignedPlaces {
    const others = [...this.#settings].flatMap(([name, each]) => (name === organisation ? [] : [each]));
    return {
      hosts: others.flatMap(({ hosts = [] }) => hosts),
      paths: others.flatMap(({ paths = [] }) => paths),
    };
  }

  /** The same text for the same settings: what was compiled under others is compiled again. */
  get fingerprint(): string {
    return JSON.stringify([...this.#settings].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
