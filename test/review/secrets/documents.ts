// Documents with a marker in every field that contains a secret: each component, the settings, and the blocks of an
// API.

import { stringify } from "yaml";
import { unsafeWithin } from "../../../compiler/check/document/allow-unsafe.ts";
import { coreCatalogue, documentSchemas } from "../../../schemas/catalogue.ts";
import type { ComponentRole } from "../../../schemas/component.ts";
import { formats } from "../../../schemas/formats/formats.ts";
import type { Schema } from "../../../schemas/schema.ts";
import { allowing, fieldValue } from "../../emit/every-field.ts";

/** The prefix of every secret. */
export const marker = "Zq7xM4rk";

/** A set of files to compile. */
export interface MarkedSet {
  readonly name: string;
  /** The file that contains markers. */
  readonly marked: "api.yaml" | "gateway.yaml";
  readonly files: Readonly<Record<"api.yaml" | "gateway.yaml", object>>;
}

/** Ways to serialise a document. */
export const styles: Readonly<Record<string, (value: object) => string>> = {
  block: (value) => stringify(value, { lineWidth: 0 }),
  flow: (value) => stringify(value, { lineWidth: 0, collectionStyle: "flow" }),
  double: (value) => stringify(value, { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE" }),
  single: (value) => stringify(value, { lineWidth: 0, defaultStringType: "QUOTE_SINGLE" }),
  json: (value) => JSON.stringify(value, undefined, 2),
};

const roles = [
  "input",
  "processor",
  "output",
  "cache",
  "rate_limit",
] as const satisfies readonly ComponentRole[];

/** Returns one set for each component with a secret, one with all blocks of an API, and one with all settings. */
export function markedSets(): readonly MarkedSet[] {
  return [...roles.flatMap(componentSets), apiSet(), settingsSet()];
}

function componentSets(role: ComponentRole): readonly MarkedSet[] {
  return coreCatalogue
    .names(role)
    .filter((name) => coreCatalogue.find(role, name)?.name === name)
    .flatMap((name) => {
      const schema = coreCatalogue.find(role, name)?.schema;
      const value =
        schema === undefined ? undefined : withMarkers(schema, fieldValue(schema, "literal"), name);
      if (schema === undefined || !JSON.stringify(value).includes(marker)) return [];
      const allowed = allowing(unsafeWithin(name, schema));
      return [
        {
          name: `${role} ${name}`,
          marked: "api.yaml" as const,
          files: {
            "api.yaml": document(role, { [name]: value }),
            "gateway.yaml": { apis: ["api.yaml"], streaming: { enabled: true }, ...allowed },
          },
        },
      ];
    });
}

function apiSet(): MarkedSet {
  const schema = documentSchemas.apiGateway;
  const whole = document("processor", { mapping: "root = this" });
  const block = withMarkers(schema, fieldValue(schema, "literal"), "x-gw-api-gateway");
  return {
    name: "x-gw-api-gateway",
    marked: "api.yaml",
    files: {
      "api.yaml": { ...whole, "x-gw-api-gateway": block },
      "gateway.yaml": { apis: ["api.yaml"], streaming: { enabled: true } },
    },
  };
}

/** Returns a set whose only processor is a mapping. */
export function setWithMapping(mapping: string): MarkedSet {
  return {
    name: "mapping",
    marked: "api.yaml",
    files: {
      "api.yaml": document("processor", { mapping }),
      "gateway.yaml": { apis: ["api.yaml"], streaming: { enabled: true } },
    },
  };
}

function settingsSet(): MarkedSet {
  const schema = documentSchemas.gateway;
  const written = withMarkers(schema, fieldValue(schema, "literal"), "gateway");
  return {
    name: "gateway.yaml",
    marked: "gateway.yaml",
    files: {
      "api.yaml": document("processor", { mapping: "root = this" }),
      "gateway.yaml": { ...Object(written), apis: ["api.yaml"], streaming: { enabled: true } },
    },
  };
}

const nats = { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } };

function document(role: ComponentRole, component: object): object {
  const stream = {
    input: role === "input" ? component : nats,
    pipeline: { processors: role === "processor" ? [component] : [] },
    output: role === "output" ? component : nats,
    cache_resources: [{ label: "cache", ...(role === "cache" ? component : { memory: {} }) }],
    rate_limit_resources: [{ label: "rate_limit", ...(role === "rate_limit" ? component : { local: {} }) }],
  };
  return {
    openapi: "3.1.1",
    info: { title: "Marked", version: "1" },
    paths: {},
    "x-gw-streaming": { streams: { marked: stream } },
  };
}

/** Puts markers into secrets, passwords in addresses, and headers that contain credentials. */
function withMarkers(schema: Schema, value: unknown, name: string): unknown {
  if (schema["x-key-format"] === "header-name") return withHeaders(schema, value);
  if (schema["x-secret"] === true && typeof value === "string") {
    const address = isAddress(schema) ? withPassword(schema) : undefined;
    // In the address of a database, the password is the secret.
    return (
      address ?? (databases.has(name) ? `postgres://shop:${marked(name)}@db.example.com/shop` : marked(name))
    );
  }
  if (typeof value === "string" && isAddress(schema)) return withPassword(schema) ?? value;
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return value.map((item) => withMarkers(items, item, name));
  }
  if (typeof value !== "object" || value === null) return value;
  if (name === "endpoint_params") return { audience: [marked(name)], resource: [marked(name)] };
  const inner = (key: string): Schema =>
    schema.properties?.[key] ??
    (typeof schema.additionalProperties === "object" ? schema.additionalProperties : {});
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, withMarkers(inner(key), held, key)]),
  );
}

/** Fields whose formats accept PostgreSQL addresses, among others. */
const databases: ReadonlySet<string> = new Set(["store", "postgres"]);

function withHeaders(schema: Schema, value: unknown): unknown {
  if (typeof schema.additionalProperties !== "object" || typeof value !== "object") return value;
  if (schema.additionalProperties["x-secret"] === true) return { "X-Other": marked("header") };
  return {
    ...value,
    Authorization: `Bearer ${marked("authorization")}`,
    Cookie: `session=${marked("cookie")}; other=1`,
    "X-Api-Key": marked("key"),
    "Proxy-Authorization": `Basic ${marked("proxy")}`,
  };
}

function marked(name: string): string {
  return `${marker}${name.replaceAll(/\W/g, "")}x9`;
}

function isAddress({ "x-format": format }: Schema): boolean {
  return format !== undefined && formats[format].example.includes("://");
}

/** Returns the example of an address with a user and a password. */
function withPassword({ "x-format": format }: Schema): string | undefined {
  const example = format === undefined ? "" : formats[format].example;
  const address = example.replace(/:\/\/(?:[^/@]*@)?/, `://shop:${marked("address")}@`);
  return address.includes(marker) ? `${address}` : undefined;
}
