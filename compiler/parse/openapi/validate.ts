// An OpenAPI document against OpenAPI's own schemas, said at the places of its author's files. The
// validators are heavy and loaded here only, when a document is validated.

import type { Report } from "../../diagnostics/sink.ts";
import { type DocumentNode, findEntry, type Json } from "../../trees/document.ts";
import { type OpenapiDocument, reportViolation } from "./describe-violation.ts";
import { inlineFiles } from "./inline-files.ts";
import { isKnownValid } from "./known-valid.ts";
import type { OpenapiVersion } from "./version.ts";
import { reduceViolations, type Violation } from "./violations.ts";

/** Reports what OpenAPI does not allow. References that lead nowhere are not repeated. */
export async function validateOpenapi(document: OpenapiDocument, report: Report): Promise<void> {
  const { root, version, references } = document;
  const inlined = document.isSelfContained
    ? JSON.parse(root.span.source.text)
    : inlineFiles(root, references);
  const api = version === "3.2" ? inlined : prepare(document, inlined, report);
  if (await isKnownValid(version, api)) return;
  const violations = reduceViolations(await findViolations(version, api));
  for (const violation of violations) reportViolation(violation, document, report);
}

/** What the validator of a version says is wrong; `api` is a whole document, of a patch version that it knows. */
export function findViolations(version: OpenapiVersion, api: Api): Promise<readonly Violation[]> {
  return version === "3.2" ? validateNew(api) : validateOld(api);
}

type Api = { readonly [key: string]: Json };

/** OpenAPI 3.2 by the schema its authors publish, which swagger-parser does not know. */
async function validateNew(api: Api): Promise<readonly Violation[]> {
  const { Validator } = await import("@seriousme/openapi-schema-validator");
  const { errors } = await new Validator({ allErrors: true }).validate(structuredClone(api));
  // A text instead of a list is about references or versions, which were looked at before.
  return Array.isArray(errors) ? (errors as readonly Violation[]) : [];
}

/** OpenAPI 3.0 and 3.1. Nothing is resolved there: references were followed before, by our own rules. */
async function validateOld(api: Api): Promise<readonly Violation[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  try {
    await SwaggerParser.validate(
      structuredClone(api) as unknown as Parameters<typeof SwaggerParser.validate>[0],
      {
        resolve: { external: false, file: false, http: false },
        dereference: { excludedPathMatcher: () => true },
        validate: { schema: true, spec: false },
      },
    );
    return [];
  } catch (error) {
    const details = error instanceof Error && "details" in error ? error.details : undefined;
    if (!Array.isArray(details)) throw error;
    return details as readonly Violation[];
  }
}

/**
 * What swagger-parser throws about by itself, without a place, is said here; it then sees a document
 * without those mistakes, and of a patch version it knows.
 */
function prepare({ root, version, references }: OpenapiDocument, api: Api, report: Report): Api {
  const prepared: Record<string, Json> = { ...api, openapi: version === "3.0" ? "3.0.4" : "3.1.1" };
  const parts = version === "3.0" ? ["paths"] : ["paths", "components", "webhooks"];
  if (!parts.some((part) => Object.hasOwn(api, part))) {
    const key = findEntry(root, "openapi")?.keySpan ?? root.span;
    report("GW1043", key, { owner: "the document", field: "paths" });
  }
  prepared.paths = withoutReferences(api.paths ?? {});
  const number: DocumentNode | undefined = references.find(root, "info", "version");
  if (number?.kind === "scalar" && typeof number.value === "number") {
    const written = number.span.source.text.slice(number.span.start, number.span.end);
    report("GW1045", number.span, { field: "version", expected: "a string", actual: "a number", written });
    prepared.info = { ...(api.info as Api), version: String(number.value) };
  }
  return prepared;
}

/** Paths may refer to others of the document since OpenAPI 3.1, which the schema for it overlooked. */
function withoutReferences(paths: Json): Json {
  if (!isApi(paths)) return paths;
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      if (!isApi(item) || typeof item.$ref !== "string") return [path, item];
      const { $ref, ...rest } = item;
      return [path, rest];
    }),
  );
}

function isApi(json: Json): json is Api {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
