// The objects of OpenAPI by their place in a document, and their fields in 3.0 to 3.2 together, for "did you mean".

const methods = "get put post delete options head patch trace query";
const media =
  "description required deprecated allowEmptyValue style explode allowReserved schema content example examples";

/** The kind of an OpenAPI object, such as `operation` or `info`; `unknown` if it makes no difference. */
export type ObjectKind = string;

/** The fields by kind. */
const fields: Readonly<Record<ObjectKind, string>> = {
  root: "openapi info servers paths webhooks components security tags externalDocs jsonSchemaDialect",
  info: "title summary description termsOfService contact license version",
  contact: "name url email",
  license: "name identifier url",
  server: "url name description variables",
  serverVariable: "enum default description",
  components:
    "schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems mediaTypes",
  pathItem: `summary description servers parameters additionalOperations ${methods}`,
  operation:
    "tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers",
  externalDocs: "description url",
  parameter: `name in ${media}`,
  header: media,
  requestBody: "description content required",
  mediaType: "description schema itemSchema example examples encoding prefixEncoding itemEncoding",
  encoding: "contentType headers style explode allowReserved",
  response: "summary description headers content links",
  example: "summary description dataValue serializedValue value externalValue",
  link: "operationRef operationId parameters requestBody description server",
  tag: "name summary description externalDocs parent kind",
  schema:
    "title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum type not allOf oneOf anyOf items properties additionalProperties description format default nullable discriminator readOnly writeOnly example externalDocs deprecated xml",
  discriminator: "propertyName mapping defaultMapping",
  xml: "name namespace prefix attribute wrapped nodeType",
  securityScheme:
    "type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl deprecated",
  flows: "implicit password clientCredentials authorizationCode deviceAuthorization",
  flow: "authorizationUrl deviceAuthorizationUrl tokenUrl refreshUrl scopes",
};

/** The kind of the value under a key, in any object. `x[]` is one of the values in `x`. */
const kinds: Readonly<Record<string, ObjectKind>> = {
  info: "info",
  contact: "contact",
  license: "license",
  server: "server",
  "servers[]": "server",
  "variables[]": "serverVariable",
  components: "components",
  paths: "paths",
  "paths[]": "pathItem",
  "webhooks[]": "pathItem",
  "pathItems[]": "pathItem",
  ...Object.fromEntries(methods.split(" ").map((method) => [method, "operation"])),
  "additionalOperations[]": "operation",
  externalDocs: "externalDocs",
  "parameters[]": "parameter",
  "headers[]": "header",
  requestBody: "requestBody",
  "requestBodies[]": "requestBody",
  "content[]": "mediaType",
  "encoding[]": "encoding",
  responses: "responses",
  "responses[]": "response",
  "examples[]": "example",
  "links[]": "link",
  "tags[]": "tag",
  schema: "schema",
  itemSchema: "schema",
  items: "schema",
  not: "schema",
  "schemas[]": "schema",
  "properties[]": "schema",
  "allOf[]": "schema",
  "anyOf[]": "schema",
  "oneOf[]": "schema",
  additionalProperties: "schema",
  discriminator: "discriminator",
  xml: "xml",
  "securitySchemes[]": "securityScheme",
  flows: "flows",
  implicit: "flow",
  password: "flow",
  clientCredentials: "flow",
  authorizationCode: "flow",
  deviceAuthorization: "flow",
};

/** Returns the kind of the value at a JSON pointer of an OpenAPI document. */
export function kindAt(pointer: string): ObjectKind {
  const keys = pointer.split("/").slice(1);
  const last = keys.at(-1);
  if (last === undefined) return "root";
  const isComponents = keys.length === 2 && keys[0] === "components";
  const inside = kinds[`${keys.at(-2)}[]`];
  // A schema may have a property named `get` or `info`.
  if (inside !== undefined) return inside;
  return (isComponents ? undefined : kinds[last]) ?? "unknown";
}

/**
 * Returns the kind of the value under a key, or of each of its values if the key ends in `[]`; `undefined` if unknown.
 */
export function kindOf(key: string): ObjectKind | undefined {
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

/** Returns the fields that an object of that kind may have; empty if the kind is unknown. */
export function knownFields(kind: ObjectKind): readonly string[] {
  return Object.hasOwn(fields, kind) ? (fields[kind]?.split(" ") ?? []) : [];
}
