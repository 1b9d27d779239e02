// Compiles schemas to code at bundling time, since compiling them with ajv takes longer than the rest of a check.
// Replaces two modules that call ajv at run time, with equivalent ones.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { _, type CodeOptions } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import { type Plugin, transformSync } from "esbuild";
import { unitWord } from "../compiler/check/document/value-mistakes.ts";
import { compileJudge } from "../compiler/parse/openapi/judges.ts";
import type { OpenapiVersion } from "../compiler/parse/openapi/version.ts";
import { ajvOptions } from "../schemas/ajv-options.ts";
import { allSchemas } from "../schemas/catalogue.ts";
import type { Schema } from "../schemas/schema.ts";

// The package is CommonJS, so Node wraps its default export in another one.
const standalone = standaloneModule.default;

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

const openapiVersions: readonly OpenapiVersion[] = ["3.0", "3.1", "3.2"];
/** The namespace of the virtual modules that validate documents, one for each version. */
const virtual = "openapi-schema";

/** The modules that are replaced. */
const replaced = ["compiler/check/document/schema-functions.ts", "compiler/parse/openapi/known-valid.ts"];

/** Replaces `schema-functions.ts` and `known-valid.ts` by compiled schemas. */
export const precompiledSchemas: Plugin = {
  name: "precompiled-schemas",
  setup(builder) {
    // If one of the modules has moved, report it: otherwise it would be bundled unchanged and compile schemas at run
    // time.
    builder.onStart(() => {
      const missing = replaced.filter((path) => !existsSync(join(root, path)));
      return { errors: missing.map((path) => ({ text: `${path} is not there to be replaced.` })) };
    });
    builder.onLoad({ filter: /[\\/]check[\\/]document[\\/]schema-functions\.ts$/ }, ({ path }) => ({
      contents: ownSchemas(),
      loader: "js",
      resolveDir: join(path, ".."),
    }));
    builder.onLoad({ filter: /[\\/]parse[\\/]openapi[\\/]known-valid\.ts$/ }, () => ({
      contents: knownValid(),
      loader: "js",
    }));
    builder.onResolve({ filter: /^openapi-schema:/ }, ({ path }) => ({
      path: path.slice(virtual.length + 1),
      namespace: virtual,
    }));
    builder.onLoad({ filter: /.*/, namespace: virtual }, ({ path }) => ({
      // One of the versions that `knownValid` names.
      contents: path === "own" ? ownFunctions() : judgeOf(path as OpenapiVersion),
      loader: "js",
      resolveDir: root,
    }));
    builder.onResolve(
      { filter: /^(ajv(-formats)?\/dist\/(runtime|formats).*|fast-deep-equal)$/ },
      ({ path }) => ({
        path: require.resolve(path),
      }),
    );
  },
};

/** Returns this project's schemas by name, each with the name of its function. */
function namedSchemas() {
  return [...allSchemas()].map(([name, schema], index) => ({ name, schema, check: `check${index}` }));
}

/** Returns a module with a function for each schema, minified, since the variable names would take a megabyte. */
function ownFunctions(): string {
  const schemas = namedSchemas();
  // Messages are not read: mistakes have texts of their own. References stay calls, so that shared parts exist once.
  const options = { ...ajvOptions, code: code(_`formats`), inlineRefs: false, messages: false };
  const ajv = new Ajv2020(options);
  const whole = schemas.map(({ name, schema }) => [name, withoutDescriptions(schema)] as const);
  for (const [name, schema] of withSharedParts(whole)) ajv.addSchema(schema, name);
  const functions = standalone(ajv, Object.fromEntries(schemas.map(({ name, check }) => [check, name])));
  const formats = `import { formats } from "./schemas/ajv-options.ts";`;
  const { code: text } = transformSync(`${formats}\n${withoutUnread(functions)}`, {
    minify: true,
    format: "esm",
  });
  // The remainder of an import whose names no function uses.
  return text.replace(/^import"[^"]+";/, "");
}

/** Removes two properties of errors that `validator.ts` does not read; ajv has no option for them. */
function withoutUnread(functions: string): string {
  const text = functions.replaceAll(
    /(\binstancePath\b.*?,)schemaPath:"(?:[^"\\]|\\.)*",(keyword:"\w+",params:\{.*?\}),schema:.*?(,parentSchema:)/g,
    "$1$2$3",
  );
  if (text.includes("schemaPath:")) throw new Error("ajv writes errors in another way");
  return text;
}

type Named = readonly [name: string, schema: Schema];

/** Schemas with fewer characters take less space than a call. */
const smallestShared = 120;

/** Moves the parts that occur several times (TLS, batching) into schemas of their own, which the others refer to. */
function withSharedParts(schemas: readonly Named[]): readonly Named[] {
  const counts = new Map<string, number>();
  const count = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return changeParts(part, count);
  };
  for (const [, schema] of schemas) changeParts(schema, count);
  const shared = new Map<string, Named>();
  const share = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    const changed = changeParts(part, share);
    if (text.length < smallestShared || (counts.get(text) ?? 0) < 2) return changed;
    const found = shared.get(text) ?? ([`shared-${shared.size}`, changed] as const);
    shared.set(text, found);
    return { $ref: found[0] };
  };
  const rest = schemas.map(([name, schema]) => [name, changeParts(schema, share)] as const);
  return [...shared.values(), ...rest];
}

/** Returns a schema whose direct parts are changed. */
function changeParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, change) }),
    ...(items && { items: change(items) }),
    ...(typeof others === "object" && { additionalProperties: change(others) }),
  };
}

function mapValues<V>(object: Readonly<Record<string, V>>, change: (value: V) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/**
 * Returns a schema without descriptions. The functions contain their schemas, which errors refer to; there, only the
 * unit in a description is used. The complete descriptions are read from the schemas themselves.
 */
function withoutDescriptions(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "description" && typeof value === "string" ? unitWord.exec(value)?.[0] : value,
  );
}

/** Returns a module that finds these functions by schema object; it compiles all other schemas at run time. */
function ownSchemas(): string {
  const pairs = namedSchemas().map(
    ({ name, check }) => `[schemas.get(${JSON.stringify(name)}), own.${check}]`,
  );
  return [
    `import * as own from "${virtual}:own";`,
    `import { allSchemas } from "../../../schemas/catalogue.ts";`,
    `const schemas = allSchemas();`,
    `const functions = new Map([${pairs.join(", ")}]);`,
    // ajv compiles schemas of other packages on first use.
    `import { ajvOptions } from "../../../schemas/ajv-options.ts";`,
    `const compiled = new WeakMap();`,
    `let ajv;`,
    `function compile(schema) {`,
    `  ajv ??= new (require("ajv/dist/2020.js").Ajv2020)(ajvOptions);`,
    `  const check = compiled.get(schema) ?? ajv.compile(schema);`,
    `  compiled.set(schema, check);`,
    `  return check;`,
    `}`,
    `export function functionOf(schema) { return functions.get(schema) ?? compile(schema); }`,
  ].join("\n");
}

/** Returns a module that loads the validator of a version when there is a document of that version. */
function knownValid(): string {
  const loads = openapiVersions.map(
    (version) => `${JSON.stringify(version)}: () => import("${virtual}:${version}"),`,
  );
  return [
    `const modules = { ${loads.join(" ")} };`,
    `export async function isKnownValid(version, api) { return (await modules[version]()).default(api); }`,
  ].join("\n");
}

/** Returns a module whose default export is the validator of a version. */
function judgeOf(version: OpenapiVersion): string {
  const formats = version === "3.2" ? _`require("ajv-formats/dist/formats").fullFormats` : undefined;
  const { ajv, isValid } = compileJudge(version, code(formats));
  return transformSync(withoutPlaces(standalone(ajv, isValid)), { minify: true, format: "esm" }).code;
}

/** Removes the places of values, which only errors have, and for which the names on the way would be escaped. */
function withoutPlaces(judge: string): string {
  const text = judge.replaceAll(
    /\{instancePath(?::instancePath\+[^{}]*)?,parentData:[^{}]*,rootData(?:,(dynamicAnchors))?\}/g,
    (_, anchors = "") => `{${anchors}}`,
  );
  if (text.includes("parentData:")) throw new Error("ajv passes places in another way");
  return text;
}

function code(formats: CodeOptions["formats"]): CodeOptions {
  return { source: true, esm: true, ...(formats === undefined ? {} : { formats }) };
}
