import {
  besideSchema,
  type ComponentCatalogue,
  coreCatalogue,
  documentSchemas,
  extensionAliases,
  referenceSchema,
} from "./catalogue.ts";
import { type ComponentRole, componentRoles } from "./component.ts";
import { type EditorSchema, editorSchema, reference, valuesOfNothing } from "./editor-schema.ts";

const draft = "https://json-schema.org/draft/2020-12/schema";

/**
 * Returns one JSON Schema (draft 2020-12) of a whole API document, for editors: OpenAPI with both extensions, or
 * a bare stream document. The OpenAPI part is lenient, since editors have their own schemas for it.
 */
export function wholeDocumentSchema(components = coreCatalogue): EditorSchema {
  return {
    $schema: draft,
    title: "Sluice document",
    description: "An OpenAPI document with streams, or a bare stream document.",
    type: "object",
    properties: { ...openapiProperties, ...extensionProperties(), ...bareProperties() },
    patternProperties: { ...barePatterns(), "^x-": {} },
    additionalProperties: false,
    $defs: definitions(components),
  };
}

/** Returns one JSON Schema (draft 2020-12) of `gateway.yaml`, for editors. */
export function gatewayFileSchema(components = coreCatalogue): EditorSchema {
  return { $schema: draft, ...editorSchema(documentSchemas.gateway), $defs: definitions(components) };
}

const openapiProperties: EditorSchema = {
  openapi: {
    type: "string",
    description: "Version of the OpenAPI Specification.",
    pattern: "^3\\.[012]\\.\\d+",
    examples: ["3.1.0"],
  },
  $self: { type: "string", description: "Address of the document itself." },
  info: {
    type: "object",
    description: "Metadata of the API.",
    properties: {
      title: { type: "string", description: "Name of the API." },
      version: { type: "string", description: "Version of the document." },
      description: { type: "string", description: "Text about the API." },
    },
    required: ["title", "version"],
  },
  jsonSchemaDialect: { type: "string", description: "Dialect of the schemas in the document." },
  servers: {
    type: "array",
    description: "Where the API is served; the path of the first is the listen path by default.",
    items: { type: "object", properties: { url: { type: "string", description: "Address." } } },
  },
  paths: { type: "object", description: "Operations by path." },
  webhooks: { type: "object", description: "Requests the API makes." },
  components: { type: "object", description: "Parts that others refer to." },
  security: { type: "array", description: "What callers need.", items: { type: "object" } },
  tags: { type: "array", description: "Groups of operations.", items: { type: "object" } },
  externalDocs: { type: "object", description: "Where more is written." },
};

function extensionProperties(): EditorSchema {
  const streaming = editorSchema(documentSchemas.streaming);
  const gateway = editorSchema(documentSchemas.apiGateway);
  const alias = (name: keyof typeof extensionAliases) => `Another spelling of \`${name}\`.`;
  return {
    "x-gw-streaming": streaming,
    [extensionAliases["x-gw-streaming"]]: {
      ...streaming,
      description: alias("x-gw-streaming"),
      deprecated: true,
    },
    "x-gw-api-gateway": gateway,
    [extensionAliases["x-gw-api-gateway"]]: {
      ...gateway,
      description: alias("x-gw-api-gateway"),
      deprecated: true,
    },
  };
}

/** Returns the fields of a stream, which a bare stream document has at its top level. */
function bareProperties(): EditorSchema {
  const { properties } = editorSchema(documentSchemas.stream);
  const tests = {
    type: "array",
    description: "Unit tests, which `sluice test` runs.",
    items: { type: "object" },
  };
  return { ...(properties as EditorSchema), tests };
}

/** Returns the fields of a stream that have no effect, which editors do not suggest. */
function barePatterns(): EditorSchema {
  const names = Object.keys(documentSchemas.stream["x-without-effect"] ?? {}).filter(
    (name) => name !== "tests",
  );
  return { [`^(?:${names.join("|")})$`]: {} };
}

/** Returns the definitions of each role (`input`) and each component (`kafka-input`). */
function definitions(components: ComponentCatalogue): EditorSchema {
  const found: Record<string, unknown> = { ...valuesOfNothing };
  for (const role of componentRoles) {
    found[role] = componentHolder(role, components);
    for (const name of components.names(role)) {
      const schema = components.find(role, name)?.schema;
      if (schema !== undefined && components.find(role, name)?.name === name) {
        found[`${name}-${role}`] = editorSchema(schema);
      }
    }
  }
  return found;
}

/** Returns the schema of the object with one component and the fields next to it. */
function componentHolder(role: ComponentRole, components: ComponentCatalogue): EditorSchema {
  const beside = editorSchema(besideSchema(role));
  const entries = components.names(role).map((name) => {
    const target = components.find(role, name)?.name;
    const description = components.find(role, name)?.schema.description;
    const own = { $ref: `#/$defs/${target}-${role}`, description };
    return [name, target === name ? own : { ...own, deprecated: true }] as const;
  });
  const isResource = !["input", "processor", "output"].includes(role);
  const named = isResource ? {} : { resource: editorSchema(referenceSchema) };
  return {
    type: "object",
    description: `Exactly one ${role}, and optionally a label.`,
    additionalProperties: false,
    // The long form, which editors do not suggest.
    patternProperties: { ...reference, "^type$": { enum: components.names(role) }, "^plugin$": {} },
    properties: { ...Object.fromEntries(entries), ...named, ...(beside.properties as EditorSchema) },
  };
}
