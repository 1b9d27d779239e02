// Advice on fields that stand elsewhere in OpenAPI 3: keywords of a schema beside `schema`, and what Swagger 2.0 had in
// another place.

import { knownFields, type ObjectKind } from "./known-fields.ts";

const mediaTypes = "Write its media types as keys of `content`.";

const belowMediaType = "Write it below a media type: `content: { application/json: { schema: … } }`.";

const addresses = "Write the address of the API in `servers`: `servers: [{ url: … }]`.";

/** Advice on the fields of Swagger 2.0, and on sections that stand one level too high, by the kind of their object. */
const elsewhere: Readonly<Record<ObjectKind, Readonly<Record<string, string>>>> = {
  root: {
    ...Object.fromEntries(
      knownFields("components").map((section) => [section, `Indent it below \`components\`.`]),
    ),
    basePath: addresses,
    consumes: mediaTypes,
    definitions: "Move its schemas to `components.schemas`.",
    host: addresses,
    produces: mediaTypes,
    schemes: addresses,
    server: "Indent it below `x-gw-api-gateway`.",
    streams: "Indent it below `x-gw-streaming`.",
    upstream: "Indent it below `x-gw-api-gateway`.",
    securityDefinitions: "Move its schemes to `components.securitySchemes`.",
  },
  components: {
    definitions: "Rename it to `schemas`.",
    securityDefinitions: "Rename it to `securitySchemes`.",
  },
  operation: { consumes: mediaTypes, produces: mediaTypes },
  requestBody: { schema: belowMediaType },
  response: { schema: belowMediaType },
};

/** The objects with a `schema`, beside which its keywords have no meaning. */
const schemaHolders: ReadonlySet<ObjectKind> = new Set(["header", "mediaType", "parameter"]);

const schemaKeywords: ReadonlySet<string> = new Set(["$ref", ...knownFields("schema")]);

/** Returns the field of an object below which a field belongs that the object does not have. */
export function belongsBelow(field: string, kind: ObjectKind): string | undefined {
  const isKeyword =
    schemaHolders.has(kind) && schemaKeywords.has(field) && !knownFields(kind).includes(field);
  return isKeyword ? "schema" : undefined;
}

/** Returns where a field belongs that objects of the kind do not have; `undefined` if that is not known. */
export function adviceOn(field: string, kind: ObjectKind): string | undefined {
  const below = belongsBelow(field, kind);
  if (below !== undefined) return `Write it below \`${below}\`.`;
  if (kind === "root" && field.startsWith("/")) return "Indent it below `paths`.";
  const own = Object.hasOwn(elsewhere, kind) ? elsewhere[kind] : undefined;
  return own !== undefined && Object.hasOwn(own, field) ? own[field] : undefined;
}
