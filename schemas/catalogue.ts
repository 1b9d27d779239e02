// The catalogue of all schemas: components by role, from their descriptors, and the other parts of documents.

import componentSchema from "./component.schema.json" with { type: "json" };
import type { Component, ComponentRole, Descriptors } from "./component.ts";
import gateway from "./gateway.schema.json" with { type: "json" };
import { components } from "./generated/components.ts";
import management from "./management.schema.json" with { type: "json" };
import { resolveSchema } from "./resolve.ts";
import type { Schema } from "./schema.ts";
import stream from "./stream.schema.json" with { type: "json" };
import template from "./template.schema.json" with { type: "json" };
import unitTests from "./unit-tests.schema.json" with { type: "json" };
import { knownNames } from "./unsupported.ts";
import apiGateway from "./x-gw-api-gateway.schema.json" with { type: "json" };
import streaming from "./x-gw-streaming.schema.json" with { type: "json" };

/** The components that documents may use: those of this package and those of the packages in a set. */
export interface ComponentCatalogue {
  /** Every component. */
  readonly components: readonly Component[];
  /** Whether a package could not be loaded, so that unknown names may belong to it. */
  readonly isPartial: boolean;
  /** Returns the descriptor with that name or alias and role. */
  find<R extends ComponentRole>(role: R, name: string): Descriptors[R] | undefined;
  /** Returns every component of a role, sorted by name. */
  all<R extends ComponentRole>(role: R): readonly Descriptors[R][];
  /** Returns the names that documents may use for components of that role, sorted; aliases come last. */
  names(role: ComponentRole): readonly string[];
  /** Whether a template of the set has that name; its configuration replaces the component. */
  isTemplate(role: ComponentRole, name: string): boolean;
}

/** Creates a catalogue. Names must be unique in each role, including those of `templates`. */
export function createCatalogue(
  components: readonly Component[],
  isPartial = false,
  templates: readonly { readonly role: ComponentRole; readonly name: string }[] = [],
): ComponentCatalogue {
  const byRole: { readonly [R in ComponentRole]: ReadonlyMap<string, Descriptors[R]> } = {
    input: named(components, "input"),
    processor: named(components, "processor"),
    output: named(components, "output"),
    scanner: named(components, "scanner"),
    buffer: named(components, "buffer"),
    cache: named(components, "cache"),
    rate_limit: named(components, "rate_limit"),
  };
  return {
    ...{ components, isPartial },
    find: (role, name) => byRole[role].get(name),
    all: (role) => [...new Set(byRole[role].values())],
    names: (role) => [...byRole[role].keys()],
    isTemplate: (role, name) => templates.some((each) => each.role === role && each.name === name),
  };
}

function named<R extends ComponentRole>(
  components: readonly Component[],
  role: R,
): ReadonlyMap<string, Descriptors[R]> {
  const found = components
    .filter((component): component is Component & Descriptors[R] => component.role === role)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return new Map([
    ...found.map((component) => [component.name, component] as const),
    ...found.flatMap((component) => (component.aliases ?? []).map((alias) => [alias, component] as const)),
  ]);
}

/** The components of this package. */
export const coreCatalogue: ComponentCatalogue = createCatalogue(components);

/**
 * The value of `resource:` in place of a component: the label of one that the stream declares. Only
 * components that messages pass can be referred to in this way.
 */
export const referenceSchema: Schema = {
  type: "string",
  description: "Label of a component that the stream declares among its resources.",
  "x-fixed": true,
};

/** The sections in which a stream declares resources, by their role. */
export const resourceSections: Readonly<Record<ComponentRole, string>> = {
  scanner: "scanner_resources",
  buffer: "buffer_resources",
  input: "input_resources",
  processor: "processor_resources",
  output: "output_resources",
  cache: "cache_resources",
  rate_limit: "rate_limit_resources",
};

/** Other names of the extensions of an OpenAPI document. */
export const extensionAliases = {
  "x-gw-streaming": "x-tyk-streaming",
  "x-gw-api-gateway": "x-tyk-api-gateway",
} as const;

/** The schemas of the parts of a document around its components. */
export const documentSchemas = {
  /** `x-gw-streaming` */
  streaming: resolveSchema(streaming),
  /** One stream, also as a bare stream document. */
  stream: resolveSchema(stream),
  /** The fields next to a component: `label`, `schema`. */
  component: resolveSchema(componentSchema),
  /** `x-gw-api-gateway` */
  apiGateway: resolveSchema(apiGateway),
  /** `gateway.yaml` */
  gateway: resolveSchema(gateway),
  /** `management.yaml` */
  management: resolveSchema(management),
  /** A template of a component. */
  template: resolveSchema(template),
  /** `tests` of a document, or of a file next to it. */
  unitTests: resolveSchema(unitTests),
} as const;

/**
 * Returns every schema of this package that values are validated against, by a unique name: `input kafka`, `gateway`.
 */
export function allSchemas(): ReadonlyMap<string, Schema> {
  return new Map([
    ...components.map(({ role, name, schema }) => [`${role} ${name}`, schema] as const),
    ...Object.entries(documentSchemas),
    ["beside others", besideOthers],
  ]);
}

/** The fields next to all other components: only inputs and outputs may have processors next to them. */
const besideOthers = withoutProcessors(documentSchemas.component);

function withoutProcessors(component: Schema): Schema {
  const { processors: _, ...properties } = component.properties ?? {};
  return { ...component, properties };
}

/**
 * Returns the schema of the fields next to a component. Returns the same object for a role, since compiled validators
 * are cached by it.
 */
export function besideSchema(role: ComponentRole): Schema {
  return role === "input" || role === "output" ? documentSchemas.component : besideOthers;
}

/** Whether the reference engine has a component with that name and role that this package does not support. */
export function isUnsupported(role: ComponentRole, name: string): boolean {
  return knownNames(role).includes(name) && coreCatalogue.find(role, name) === undefined;
}
