// The served description: requests are generated from it, and responses are checked with it.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { DescribedSchema } from "./arbitrary-value.ts";

/** A parameter of an operation. */
export interface DescribedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: DescribedSchema;
}

/** One operation of the description. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  /** The schema of its body, if it accepts JSON. */
  readonly body: DescribedSchema | undefined;
  /** Whether the description accepts a body. */
  isFitting(body: unknown): boolean;
  /** Returns how a response deviates from the description; empty if it conforms. */
  faultsOf(status: number, type: string, text: string): string[];
}

interface Media {
  readonly schema?: DescribedSchema;
}

interface OperationObject {
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

/** The document at `/openapi.json`. */
export interface DescriptionDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DescribedSchema>> };
}

/** Every operation of a description. */
export function operationsOf(document: DescriptionDocument): readonly DescribedOperation[] {
  const compiler = (removeAdditional: boolean): Compile => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, removeAdditional });
    ajv.addSchema({ $id: "portal", components: document.components });
    return (schema) =>
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"portal#/components/')));
  };
  // Unknown fields are faults in responses, but are ignored in bodies.
  const [ofAnswers, ofBodies] = [compiler(false), compiler(true)];
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describe(method, path, operation, ofAnswers, ofBodies),
    ),
  );
}

type Compile = (schema: DescribedSchema) => ValidateFunction;

function describe(
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: OperationObject,
  compile: Compile,
  compileBody: Compile,
): DescribedOperation {
  const body = requestBody?.content["application/json"]?.schema;
  const checkBody = body && compileBody(body);
  const checks = new Map(
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(
        ([type, { schema = {} }]) => [`${status} ${type}`, compile(schema)] as const,
      ),
    ),
  );
  return {
    method: method.toUpperCase(),
    path,
    parameters,
    body,
    isFitting: (value) => checkBody?.(structuredClone(value)) ?? true,
    faultsOf(status, type, text) {
      const response = responses[String(status)];
      if (response === undefined) return [`${status} is not described`];
      if (response.content === undefined) return text === "" ? [] : ["an answer without a body has one"];
      const check = checks.get(`${status} ${type}`);
      if (check === undefined) return [`${status} with ${type} is not described`];
      if (type !== "application/json" || check(JSON.parse(text))) return [];
      return (check.errors ?? []).map(({ instancePath, message, params }) =>
        [instancePath, message, JSON.stringify(params)].join(" "),
      );
    },
  };
}
