// Emits schemas as `validators.ts`: functions compiled by ajv, so that a gateway contains no schema compiler.

import type { Options } from "ajv";
import { banner } from "./assemble.ts";
import { addNumberKeywords, numberHelpers } from "./number-keywords.ts";
import type { NamedCheck } from "./scripts.ts";
import { addUnevaluatedKeywords } from "./unevaluated-keywords.ts";

/** Returns the text of `validators.ts`. The same checks always result in the same text. */
export async function emitValidators(
  checks: readonly NamedCheck[],
  sources: readonly string[],
): Promise<string> {
  // Kinds of checks need different ajv options. The output for each kind is in a function of its own.
  const kinds = [
    ...Map.groupBy(
      checks,
      ({ plan }) => `${plan.takesTexts} ${plan.tellsAll} ${mayHaveUnevaluated(plan)}`,
    ).values(),
  ];
  const written = await Promise.all(kinds.map(compileKind));
  return [
    banner(sources),
    "// @ts-nocheck: ajv wrote it.\n",
    'import type { SchemaCheck } from "sluice/runtime/protections/validation/check.ts";',
    ...importsOf(helpers.filter(({ name }) => written.some((text) => text.includes(name)))),
    ...kinds.map((kind, index) => emitKind(kind, written[index] ?? "", `kind${index + 1}`)),
    "",
  ].join("\n");
}

/**
 * Functions of the runtime that replace those of ajv, with a running time linear in the size of the request, and those for
 * numbers.
 */
const helpers = [
  ...numberHelpers.map((name) => ({ name, module: "runtime/protections/validation/written-numbers.ts" })),
  { name: "linearPattern", module: "runtime/protections/validation/pattern.ts" },
  { name: "hasUniqueItems", module: "runtime/protections/validation/unique-items.ts" },
  { name: "isUrl", module: "runtime/text/url-format.ts" },
  { name: "judgedOnce", module: "runtime/protections/validation/judged-once.ts" },
  { name: "withErrors", module: "runtime/protections/validation/check.ts" },
];

/** The output of ajv for the format `url`. */
const libraryUrl = 'require("ajv-formats/dist/formats").fullFormats.url';

function importsOf(used: readonly (typeof helpers)[number][]): readonly string[] {
  return [...Map.groupBy(used, ({ module }) => module)].map(
    ([module, own]) => `import { ${own.map(({ name }) => name).join(", ")} } from "sluice/${module}";`,
  );
}

function emitKind(checks: readonly NamedCheck[], written: string, name: string): string {
  const exported = checks.map((check) => `export const ${check.name}: SchemaCheck = ${name}.${check.name};`);
  return `\nconst ${name} = (() => {\nconst exports: any = {};\n${written}\nreturn exports;\n})();\n${exported.join("\n")}`;
}

/** Whether the schema may have `unevaluatedItems` or `unevaluatedProperties`. */
function mayHaveUnevaluated({ schema }: NamedCheck["plan"]): boolean {
  return JSON.stringify(schema).includes('"unevaluated');
}

async function compileKind(checks: readonly NamedCheck[]): Promise<string> {
  const [{ Ajv2020, ...code }, util, { default: addFormats }, { default: standaloneCode }] =
    await Promise.all([
      import("ajv/dist/2020.js"),
      import("ajv/dist/compile/util.js"),
      import("ajv-formats"),
      import("ajv/dist/standalone/index.js"),
    ]);
  const { _, str } = code;
  const [first] = checks;
  const hasUnevaluated = checks.some(({ plan }) => mayHaveUnevaluated(plan));
  const ajv = new Ajv2020({
    ...options,
    coerceTypes: first?.plan.takesTexts === true,
    allErrors: first?.plan.tellsAll === true,
    inlineRefs: !hasUnevaluated,
  });
  addFormats.default(ajv);
  // ajv copies expressions, but refers to functions, and this reference is replaced below.
  ajv.addFormat("url", () => true);
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    code(context) {
      if (context.schema !== true) return;
      const check = context.gen.scopeValue("func", { ref: hasUniqueItems, code: _`hasUniqueItems` });
      // A conversion changes parts of the value, so that what is known of them ends with each call.
      const root = first?.plan.takesTexts === true ? _`` : _`, rootData`;
      context.fail(_`!${check}(${context.data}${root})`);
    },
  });
  addNumberKeywords(ajv, { _, str });
  if (hasUnevaluated) addUnevaluatedKeywords(ajv, { ...code, ...util });
  // Without the keywords, ajv need not keep what it has evaluated.
  else ajv.opts.unevaluated = false;
  for (const { name, plan } of checks) ajv.addSchema(plan.schema, name);
  const written = standaloneCode.default(ajv, Object.fromEntries(checks.map(({ name }) => [name, name])));
  return judgeOnce(
    written.replaceAll(libraryUrl, "isUrl").replaceAll(copiedErrors, "withErrors(vErrors, $1)"),
  );
}

/** The output of ajv that copies all errors so far for each value of a list that does not match a referenced schema. */
const copiedErrors = /vErrors\.concat\(([\w.]+\.errors)\)/g;

/** The output of ajv for a schema that refers to one that contains it. */
const ownReference = /;const (wrapper\d+) = \{validate: validate\d+\};/g;

/** Changes the text so that a recursive schema validates each part of a value once. */
function judgeOnce(written: string): string {
  const wrappers = new Set(written.matchAll(ownReference).map(([, name]) => name));
  return [
    written,
    ...wrappers.values().map((name) => `${name}.validate = judgedOnce(${name}.validate);`),
  ].join("\n");
}

/** Matches patterns in linear time, because callers provide the values. ajv prints this function by its name. */
const linearPattern = Object.assign(
  (pattern: string) => ({ test: () => true, toString: () => pattern }), // the compiler never calls `test`
  { code: "linearPattern" },
);

/** The value by which ajv refers to the function, which the gateway takes from the runtime. */
const hasUniqueItems = {};

const options: Options = {
  // Schemas in documents follow OpenAPI: unknown formats and keywords have no effect.
  strict: false,
  logger: false,
  validateSchema: false,
  // A field that every object inherits counts as absent.
  ownProperties: true,
  code: { source: true, regExp: linearPattern },
};
