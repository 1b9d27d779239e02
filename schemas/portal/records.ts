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

/** A schema that records over HTTP are validated and described with: JSON Schema 2020-12 without annotations of ours. */
export interface RecordSchemaFile {
  readonly [keyword: string]: unknown;
  readonly title: string;
  readonly type: "object";
}

/**
 * What the portal keeps and answers, by the name of its type. Fields with `readOnly` are the server's: what bodies say of
 * them does not count.
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

/** A schema file as records have it: the types of JSON modules are wider than what the files hold. */
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

/** The catalogue, whose entries may each have a configuration: the same fields, all of them the client's. */
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

/** A policy as `gateway.yaml` has it, but for what the server says of it. */
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
      id: { type: "string", description: "Id that keys name it by.", readOnly: true },
      name: { ...keywords(name), minLength: 1 },
      org_id: { ...keywords(organisation), readOnly: true },
      ...others,
    },
  };
}

/** Without our annotations, and without properties that are another spelling. */
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
