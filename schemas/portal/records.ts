import { documentSchemas } from "../catalogue.ts";
import type { Schema } from "../schema.ts";
import app from "./app.schema.json" with { type: "json" };
import branding from "./branding.schema.json" with { type: "json" };
import catalogue from "./catalogue.schema.json" with { type: "json" };
import configuration from "./configuration.schema.json" with { type: "json" };
import deadDelivery from "./dead-delivery.schema.json" with { type: "json" };
import developer from "./developer.schema.json" with { type: "json" };
import documentation from "./documentation.schema.json" with { type: "json" };
import keyRequest from "./key-request.schema.json" with { type: "json" };
import team from "./team.schema.json" with { type: "json" };
import texts from "./texts.schema.json" with { type: "json" };
import webhook from "./webhook.schema.json" with { type: "json" };
import webhookEvents from "./webhook-events.schema.json" with { type: "json" };

/** A schema that validates and describes records over HTTP: JSON Schema 2020-12 without this project's annotations. */
export interface RecordSchemaFile {
  readonly [keyword: string]: unknown;
  readonly title: string;
  readonly type: "object";
}

/**
 * The schemas of the portal's records and responses, by the name of the type. The server sets fields with `readOnly`
 * and ignores their values in requests.
 */
export const portalRecords: Readonly<Record<string, RecordSchemaFile>> = {
  KeyRequest: ofFile(keyRequest),
  Developer: ofFile(developer),
  Team: ofFile(team),
  Policy: policy(),
  App: ofFile(app),
  Webhook: ofFile(webhook),
  DeadDelivery: ofFile(deadDelivery),
  WebhookEvents: ofFile(webhookEvents),
  Catalogue: withConfigurations(catalogue),
  Configuration: ofFile(configuration),
  Documentation: ofFile(documentation),
  Branding: ofFile(branding),
  Texts: ofFile(texts),
};

/** Returns the schema of a file with the type of a record schema: the types of JSON modules are too wide. */
export function ofFile({
  $schema: _,
  ...schema
}: {
  readonly $schema: string;
  readonly title: string;
  readonly [keyword: string]: unknown;
}): RecordSchemaFile {
  return { ...schema, type: "object" };
}

/** Returns the catalogue with an optional configuration in each entry: the same fields, all set by the client. */
function withConfigurations({
  properties: { apis, ...others },
  ...schema
}: typeof catalogue): RecordSchemaFile {
  const { id, org_id: organisation, ...fields } = configuration.properties;
  const config = {
    type: "object",
    description: "A configuration of its own, which counts where `override` is `true`.",
    additionalProperties: false,
    properties: { id: writable(id), org_id: writable(organisation), ...fields },
  };
  const items = { ...apis.items, properties: { ...apis.items.properties, config } };
  return ofFile({ ...schema, properties: { ...others, apis: { ...apis, items } } });
}

function writable({ readOnly: _, ...field }: { readonly readOnly: boolean }): object {
  return field;
}

/** Returns the schema of a policy as in `gateway.yaml`, with the fields that the server sets. */
function policy(): RecordSchemaFile {
  const { items } = documentSchemas.gateway.properties?.policies ?? {};
  if (items?.properties === undefined) throw new Error("gateway.yaml has policies");
  const { id: _, org_id: organisation, name, ...others } = propertiesOf(items);
  return {
    title: "Policy",
    description: items.description,
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: {
      id: { type: "string", description: "The id by which keys name it.", readOnly: true },
      name: { ...keywords(name), minLength: 1 },
      org_id: { ...keywords(organisation), readOnly: true },
      ...others,
    },
  };
}

/** Removes this project's annotations, and properties that are aliases. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([keyword]) => !keyword.startsWith("x-"));
  return Object.fromEntries(
    kept.map(([keyword, inner]) => [
      keyword,
      keyword === "properties" ? propertiesOf({ properties: inner }) : plain(inner),
    ]),
  );
}

function propertiesOf({ properties = {} }: Pick<Schema, "properties">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      schema["x-alias"] === undefined ? [[name, plain(schema)]] : [],
    ),
  );
}

function keywords(schema: unknown): object {
  return typeof schema === "object" && schema !== null ? schema : {};
}
