// The keys of OpenAPI documents (3.0 to 3.2) as schemas, for completion and hovers. The schemas of the specification,
// which validate the documents, have no descriptions.

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

const reference = text(
  "Another place, which is taken instead: `#/components/…`, or a file with such a place.",
);

const schemaFields: Record<string, Schema> = {};
/** The schema of a JSON Schema. */
const schema: Schema = { type: "object", description: "What values are allowed.", properties: schemaFields };
Object.assign(schemaFields, {
  $ref: reference,
  type: oneOf(
    ["string", "number", "integer", "boolean", "array", "object", "null"],
    "The type of the value. Several may stand in a list.",
  ),
  format: text("The form of a text or the size of a number: `date-time`, `uuid`, `email`, `int64`."),
  title: text("A short name for people."),
  description: text("What the value is, for people."),
  enum: listOf({}, "The values that are allowed."),
  const: any("The one value that is allowed."),
  default: any("The value that counts where none is given."),
  example: any("A value as an example."),
  examples: listOf({}, "Values as examples."),
  properties: mapOf(schema, "The fields of an object, by their names."),
  required: listOf({ type: "string" }, "The fields that have to be there."),
  additionalProperties: as(schema, "Whether fields that are not listed may be there, and what they hold."),
  patternProperties: mapOf(schema, "What fields hold whose names match a regular expression."),
  propertyNames: as(schema, "What the names of fields have to be."),
  minProperties: { type: "integer", description: "How many fields there are at least." },
  maxProperties: { type: "integer", description: "How many fields there are at most." },
  items: as(schema, "What each element of an array is."),
  prefixItems: listOf(schema, "What the first elements of an array are, one by one."),
  contains: as(schema, "What at least one element of an array is."),
  minItems: { type: "integer", description: "How many elements there are at least." },
  maxItems: { type: "integer", description: "How many elements there are at most." },
  uniqueItems: flag("No two elements are the same."),
  minLength: { type: "integer", description: "How many characters a text has at least." },
  maxLength: { type: "integer", description: "How many characters a text has at most." },
  pattern: text("A regular expression (ECMA-262) that is found in the text."),
  minimum: { type: "number", description: "The smallest number that is allowed." },
  maximum: { type: "number", description: "The largest number that is allowed." },
  exclusiveMinimum: any(
    "Numbers have to be above this. In OpenAPI 3.0, whether `minimum` itself is excluded.",
  ),
  exclusiveMaximum: any(
    "Numbers have to be below this. In OpenAPI 3.0, whether `maximum` itself is excluded.",
  ),
  multipleOf: { type: "number", description: "Numbers have to be multiples of this." },
  allOf: listOf(schema, "All of these hold."),
  anyOf: listOf(schema, "At least one of these holds."),
  oneOf: listOf(schema, "Exactly one of these holds."),
  not: as(schema, "This does not hold."),
  if: as(schema, "Where this holds, `then` has to, otherwise `else`."),
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: as(schema, "Has to hold where `if` holds."),
  else: as(schema, "Has to hold where `if` does not."),
  nullable: flag("The value may be null. OpenAPI 3.0 only; later versions list `null` in `type`."),
  discriminator: objectOf(
    {
      propertyName: text("The field that says which schema it is."),
      mapping: mapOf({ type: "string" }, "Values of the field and the schemas that they mean."),
    },
    "The field by which the schemas of `oneOf` or `anyOf` are told apart.",
    ["propertyName"],
  ),
  readOnly: flag("Only responses have the field."),
  writeOnly: flag("Only requests have the field."),
  deprecated: flag("It should not be used any more."),
} satisfies Record<string, Schema>);

const example = objectOf(
  {
    $ref: reference,
    summary: text("What the example shows, in a line."),
    description: text("What the example shows, at length."),
    value: any("The value itself."),
    externalValue: text("An address of the value."),
  },
  "An example.",
);
const examples = mapOf(example, "Examples, by names of their own.");
const content = mapOf(
  objectOf(
    {
      schema,
      itemSchema: as(schema, "What each event or record of a sequence is (OpenAPI 3.2)."),
      example: any("An example of the content."),
      examples,
      encoding: mapOf({ type: "object" }, "How parts of a form are encoded, by the name of the field."),
    },
    "A representation of the content.",
  ),
  "The content by media type: `application/json`, `text/event-stream`.",
);
const parameterFields: Readonly<Record<string, Schema>> = {
  $ref: reference,
  description: text("What the parameter is for."),
  required: flag("It has to be there. Path parameters always have to."),
  deprecated: flag("It should not be used any more."),
  style: text("How a value of several parts is written: `form`, `simple`, `deepObject`."),
  explode: flag("Whether each element becomes a parameter of its own."),
  schema,
  content,
  example: any("An example of the value."),
  examples,
};
const parameter = objectOf(
  {
    name: text("The name of the parameter. In a path, the one between braces."),
    in: oneOf(["path", "query", "header", "cookie"], "Where the parameter stands."),
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
    description: text("What the body is."),
    content,
    required: flag("Requests need a body."),
  },
  "The body of requests. The stream that serves the operation takes the type of its messages from it.",
  ["content"],
);
const response = objectOf(
  {
    $ref: reference,
    summary: text("What the response means, in a line."),
    description: text("What the response means."),
    headers: mapOf(header, "Headers of the response."),
    content,
    links: mapOf({ type: "object" }, "Operations that follow from this response."),
  },
  "A response.",
  ["description"],
);
const responses = mapOf(response, "The responses by status: `200`, `4XX`, `default`.");
const servers = listOf(
  objectOf(
    {
      url: text("The address. Its path is the listen path, where the gateway part names none."),
      description: text("What the server is for."),
      variables: mapOf({ type: "object" }, "Values of the parts between braces."),
    },
    "A server.",
    ["url"],
  ),
  "Where the API is served.",
);
const security = listOf(
  mapOf(
    listOf({ type: "string" }, "The scopes that are needed."),
    "Security schemes that are needed together.",
  ),
  "What callers have to show: one of the entries suffices. An empty list asks for nothing.",
);
const tags = listOf({ type: "string" }, "Groups that the operation belongs to.");
const externalDocs = objectOf(
  { url: text("The address."), description: text("What is found there.") },
  "More documentation elsewhere.",
  ["url"],
);

const operation = objectOf(
  {
    operationId: text("The name of the operation, unique in the document."),
    summary: text("What the operation does, in a line."),
    description: text("What the operation does, at length."),
    tags,
    parameters,
    requestBody,
    responses,
    security,
    servers,
    callbacks: mapOf({ type: "object" }, "Requests that the API makes to the caller later."),
    externalDocs,
    deprecated: flag("It should not be used any more."),
  },
  "An operation.",
);
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const pathItem = objectOf(
  {
    $ref: reference,
    summary: text("What the path is for, in a line."),
    description: text("What the path is for, at length."),
    parameters: as(parameters, "Parameters of every operation of the path."),
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
    type: oneOf(["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"], "The kind of credential."),
    description: text("How to get a credential."),
    name: text("The name of the header, parameter or cookie with the key."),
    in: oneOf(["header", "query", "cookie"], "Where the key stands."),
    scheme: text("The scheme of HTTP authentication: `bearer`, `basic`."),
    bearerFormat: text("What the token is, for people: `JWT`."),
    flows: { type: "object", description: "The flows of OAuth 2.0 with their addresses and scopes." },
    openIdConnectUrl: text("The address of the discovery document."),
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
      summary: text("What the API is, in a line."),
      description: text("What the API is, at length."),
      termsOfService: text("An address of the terms."),
      contact: objectOf(
        { name: text("Who to ask."), url: text("Their address."), email: text("Their e-mail address.") },
        "Who to ask about the API.",
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
    "What the API is.",
    ["title", "version"],
  ),
  servers,
  paths: mapOf(pathItem, "The paths, each with its operations. Streams are served at them."),
  webhooks: mapOf(pathItem, "Requests that the API sends to its clients, without a request of theirs."),
  components: objectOf(
    {
      schemas: mapOf(schema, "Schemas that references name."),
      responses: mapOf(response, "Responses that references name."),
      parameters: mapOf(parameter, "Parameters that references name."),
      examples: as(examples, "Examples that references name."),
      requestBodies: mapOf(requestBody, "Bodies that references name."),
      headers: mapOf(header, "Headers that references name."),
      securitySchemes: mapOf(securityScheme, "How callers authenticate, by the names that `security` uses."),
      pathItems: mapOf(pathItem, "Path items that references name."),
      mediaTypes: as(content, "Representations that references name (OpenAPI 3.2)."),
      links: mapOf({ type: "object" }, "Links that references name."),
      callbacks: mapOf({ type: "object" }, "Callbacks that references name."),
    },
    "What references of the document name.",
  ),
  security,
  tags: listOf(
    objectOf(
      { name: text("The name of the group."), description: text("What the group is."), externalDocs },
      "A group of operations.",
      ["name"],
    ),
    "Groups of operations, in the order of their display.",
  ),
  externalDocs,
  jsonSchemaDialect: text("The dialect of the schemas in the document."),
};
