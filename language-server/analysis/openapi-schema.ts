// The keys of OpenAPI documents (3.0 to 3.2) as schemas, for completion and hovers. The schemas of the specification,
// which validate the documents, have no descriptions.

import { commonTypes } from "../../compiler/check/document/rules/media-types.ts";
import type { Schema } from "../../schemas/schema.ts";

const text = (description: string): Schema => ({ type: "string", description });
const flag = (description: string): Schema => ({ type: "boolean", description, default: false });
const any = (description: string): Schema => ({ description });
const listOf = (items: Schema, description: string): Schema => ({ type: "array", description, items });
const mapOf = (values: Schema, description: string): Schema => ({
  type: "object",
  description,
  additionalProperties: values,
});
const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  description: string,
  required: readonly string[] = [],
): Schema => ({ type: "object", description, properties, required });
const oneOf = (values: readonly string[], description: string): Schema => ({
  type: "string",
  description,
  enum: values,
});

/** Returns the same schema with another description, for a nested use. */
const as = (schema: Schema, description: string): Schema => ({ ...schema, description });

const reference = text("A reference to a definition: `#/components/…`, or a file with such a fragment.");

const schemaFields: Record<string, Schema> = {};
/** The schema of a JSON Schema. */
const schema: Schema = { type: "object", description: "A schema of values.", properties: schemaFields };
Object.assign(schemaFields, {
  $ref: reference,
  type: oneOf(
    ["string", "number", "integer", "boolean", "array", "object", "null"],
    "The type of the value, or a list of types.",
  ),
  format: text("The format of a string or number: `date-time`, `uuid`, `email`, `int64`."),
  title: text("A short display name."),
  description: text("A description of the value."),
  enum: listOf({}, "The allowed values."),
  const: any("The only allowed value."),
  default: any("The value that is assumed if none is given."),
  example: any("An example value."),
  examples: listOf({}, "Example values."),
  properties: mapOf(schema, "The fields of an object by name."),
  required: listOf({ type: "string" }, "The required fields."),
  additionalProperties: as(schema, "Whether other fields are allowed, or the schema of their values."),
  patternProperties: mapOf(schema, "Schemas of the fields whose names match a regular expression."),
  propertyNames: as(schema, "The schema of field names."),
  minProperties: { type: "integer", description: "The minimum number of fields." },
  maxProperties: { type: "integer", description: "The maximum number of fields." },
  items: as(schema, "The schema of the elements of an array."),
  prefixItems: listOf(schema, "The schemas of the first elements of an array, in order."),
  contains: as(schema, "A schema that at least one element of an array must match."),
  minItems: { type: "integer", description: "The minimum number of elements." },
  maxItems: { type: "integer", description: "The maximum number of elements." },
  uniqueItems: flag("Whether all elements must be different."),
  minLength: { type: "integer", description: "The minimum number of characters." },
  maxLength: { type: "integer", description: "The maximum number of characters." },
  pattern: text("A regular expression (ECMA-262) that must match a part of the string."),
  minimum: { type: "number", description: "The smallest allowed number." },
  maximum: { type: "number", description: "The largest allowed number." },
  exclusiveMinimum: any(
    "Numbers must be greater than this. In OpenAPI 3.0, whether `minimum` itself is excluded.",
  ),
  exclusiveMaximum: any(
    "Numbers must be less than this. In OpenAPI 3.0, whether `maximum` itself is excluded.",
  ),
  multipleOf: { type: "number", description: "Numbers must be multiples of this." },
  allOf: listOf(schema, "Values must match all of these schemas."),
  anyOf: listOf(schema, "Values must match at least one of these schemas."),
  oneOf: listOf(schema, "Values must match exactly one of these schemas."),
  not: as(schema, "Values must not match this schema."),
  if: as(schema, "Values that match this schema must match `then`, all others `else`."),
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: as(schema, "The schema of values that match `if`."),
  else: as(schema, "The schema of values that do not match `if`."),
  nullable: flag("The value may be null. OpenAPI 3.0 only; later versions list `null` in `type`."),
  discriminator: objectOf(
    {
      propertyName: text("The field whose value selects the schema."),
      mapping: mapOf({ type: "string" }, "The schemas by value of the field."),
    },
    "The field that distinguishes the schemas of `oneOf` or `anyOf`.",
    ["propertyName"],
  ),
  readOnly: flag("The field occurs only in responses."),
  writeOnly: flag("The field occurs only in requests."),
  deprecated: flag("It should no longer be used."),
} satisfies Record<string, Schema>);

const example = objectOf(
  {
    $ref: reference,
    summary: text("A one-line summary of the example."),
    description: text("A description of the example."),
    value: any("The value of the example."),
    externalValue: text("The URL of the value."),
  },
  "An example.",
);
const examples = mapOf(example, "Examples by name.");
const representation = objectOf(
  {
    schema,
    itemSchema: as(schema, "The schema of each event or record of a sequence (OpenAPI 3.2)."),
    example: any("An example of the content."),
    examples,
    encoding: mapOf({ type: "object" }, "The encoding of the fields of a form by name."),
  },
  "A representation of the content.",
);
const content: Schema = {
  ...mapOf(representation, "The content by media type: `application/json`, `text/event-stream`."),
  properties: Object.fromEntries(commonTypes.map((type) => [type, representation])),
};
const parameterFields: Readonly<Record<string, Schema>> = {
  $ref: reference,
  description: text("A description of the parameter."),
  required: flag("Whether the parameter is required. Path parameters always are."),
  deprecated: flag("It should no longer be used."),
  style: text("The serialization of arrays and objects: `form`, `simple`, `deepObject`."),
  explode: flag("Whether each element becomes a separate parameter."),
  schema,
  content,
  example: any("An example of the value."),
  examples,
};
const parameter = objectOf(
  {
    name: text("The name of the parameter; for path parameters, the name in braces."),
    in: oneOf(["path", "query", "header", "cookie"], "The location of the parameter."),
    ...parameterFields,
  },
  "A parameter of a request.",
  ["name", "in"],
);
const parameters = listOf(parameter, "The parameters besides the body.");
const header = objectOf(parameterFields, "A header of the response.");
const requestBody = objectOf(
  {
    $ref: reference,
    description: text("A description of the body."),
    content,
    required: flag("Whether requests must have a body."),
  },
  "The body of requests. The stream that serves the operation takes the type of its messages from it.",
  ["content"],
);
const response = objectOf(
  {
    $ref: reference,
    summary: text("A one-line summary of the response."),
    description: text("A description of the response."),
    headers: mapOf(header, "Headers of the response."),
    content,
    links: mapOf({ type: "object" }, "Operations that can follow this response."),
  },
  "A response.",
  ["description"],
);
const responses = mapOf(response, "The responses by status: `200`, `4XX`, `default`.");
const servers = listOf(
  objectOf(
    {
      url: text("The URL. Its path is the listen path if `x-gw-api-gateway` does not set one."),
      description: text("A description of the server."),
      variables: mapOf({ type: "object" }, "The values of the variables in braces."),
    },
    "A server.",
    ["url"],
  ),
  "Where the API is served.",
);
const security = listOf(
  mapOf(listOf({ type: "string" }, "The required scopes."), "Security schemes that are required together."),
  "The alternatives of credentials: callers must satisfy one entry. An empty list requires no credentials.",
);
const tags = listOf({ type: "string" }, "The groups of the operation.");
const externalDocs = objectOf(
  { url: text("The address."), description: text("A description of the documentation.") },
  "External documentation.",
  ["url"],
);

const operation = objectOf(
  {
    operationId: text("The name of the operation, unique in the document."),
    summary: text("A one-line summary of the operation."),
    description: text("A description of the operation."),
    tags,
    parameters,
    requestBody,
    responses,
    security,
    servers,
    callbacks: mapOf({ type: "object" }, "Later requests of the API to the caller."),
    externalDocs,
    deprecated: flag("It should no longer be used."),
  },
  "An operation.",
);
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const pathItem = objectOf(
  {
    $ref: reference,
    summary: text("A one-line summary of the path."),
    description: text("A description of the path."),
    parameters: as(parameters, "Parameters of all operations of the path."),
    servers,
    ...Object.fromEntries(
      methods.map((method) => [method, as(operation, `The operation for ${method.toUpperCase()}.`)]),
    ),
  },
  "The operations of a path.",
);
const securityScheme = objectOf(
  {
    $ref: reference,
    type: oneOf(
      ["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"],
      "The type of the security scheme.",
    ),
    description: text("How to get a credential."),
    name: text("The name of the header, parameter or cookie with the key."),
    in: oneOf(["header", "query", "cookie"], "The location of the key."),
    scheme: text("The scheme of HTTP authentication: `bearer`, `basic`."),
    bearerFormat: text("The format of the token, such as `JWT`."),
    flows: { type: "object", description: "The OAuth 2.0 flows with their URLs and scopes." },
    openIdConnectUrl: text("The URL of the discovery document."),
  },
  "How callers authenticate.",
  ["type"],
);

/** The fields of an OpenAPI document. */
export const openapiFields: Readonly<Record<string, Schema>> = {
  openapi: text("Version of the OpenAPI Specification."),
  info: objectOf(
    {
      title: text("The name of the API."),
      version: text("The version of the API."),
      summary: text("A one-line summary of the API."),
      description: text("A description of the API."),
      termsOfService: text("The URL of the terms of service."),
      contact: objectOf(
        {
          name: text("The name of the contact."),
          url: text("The URL of the contact."),
          email: text("The e-mail address of the contact."),
        },
        "The contact for the API.",
      ),
      license: objectOf(
        {
          name: text("The name of the licence."),
          identifier: text("Its SPDX expression."),
          url: text("Its address."),
        },
        "The licence of the API.",
        ["name"],
      ),
    },
    "Metadata of the API.",
    ["title", "version"],
  ),
  servers,
  paths: mapOf(pathItem, "The paths and their operations. Streams are served at them."),
  webhooks: mapOf(pathItem, "Requests that the API sends to clients on its own initiative."),
  components: objectOf(
    {
      schemas: mapOf(schema, "Reusable schemas."),
      responses: mapOf(response, "Reusable responses."),
      parameters: mapOf(parameter, "Reusable parameters."),
      examples: as(examples, "Reusable examples."),
      requestBodies: mapOf(requestBody, "Reusable request bodies."),
      headers: mapOf(header, "Reusable headers."),
      securitySchemes: mapOf(securityScheme, "The security schemes by the name that `security` uses."),
      pathItems: mapOf(pathItem, "Reusable path items."),
      mediaTypes: as(content, "Reusable media types (OpenAPI 3.2)."),
      links: mapOf({ type: "object" }, "Reusable links."),
      callbacks: mapOf({ type: "object" }, "Reusable callbacks."),
    },
    "Reusable definitions.",
  ),
  security,
  tags: listOf(
    objectOf(
      {
        name: text("The name of the group."),
        description: text("A description of the group."),
        externalDocs,
      },
      "A group of operations.",
      ["name"],
    ),
    "Groups of operations in display order.",
  ),
  externalDocs,
  jsonSchemaDialect: text("The dialect of the schemas in the document."),
};
