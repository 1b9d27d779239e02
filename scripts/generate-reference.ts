// Generates docs/reference.md from the schemas and the catalogue of builtins: every field of every component, and
// every function and method of mappings. Also writes docs/compatibility.md (`generate-compatibility.ts`),
// docs/commands.md and docs/codes.md (`generate-commands.ts`), docs/scaling.md and docs/settings.md. `node
// scripts/generate-reference.ts`; a test fails if the checked-in files differ from its output.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coreBuiltins } from "../compiler/builtins/catalogue.ts";
import { describeBuiltins, describeComponent, describeSchema } from "../compiler/cli/reference.ts";
import { coreCatalogue, documentSchemas } from "../schemas/catalogue.ts";
import { codesPath, commandsPath, generateCodes, generateCommands } from "./generate-commands.ts";
import { compatibilityPath, generateCompatibility } from "./generate-compatibility.ts";
import { scalingPath, withInputTable } from "./generate-scaling.ts";
import { generateSettings, settingsPath } from "./generate-settings.ts";

/** The page, relative to the root of the repository. */
export const referencePath = "docs/reference.md";

/** Returns the text of the page. */
export function generateReference(): string {
  const sections = [
    "<!-- Generated from schemas/ and compiler/builtins/ by scripts/generate-reference.ts. Do not edit. -->",
    "# Reference",
    intro,
    "## Connectors",
    ...[...coreCatalogue.all("input"), ...coreCatalogue.all("output")]
      .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
      .map(describeComponent),
    "## Processors",
    ...coreCatalogue.all("processor").map(describeComponent),
    "## Scanners",
    ...coreCatalogue.all("scanner").map(describeComponent),
    "## Buffers",
    ...coreCatalogue.all("buffer").map(describeComponent),
    "## Caches",
    ...coreCatalogue.all("cache").map(describeComponent),
    "## Rate limits",
    ...coreCatalogue.all("rate_limit").map(describeComponent),
    "## Around the components",
    describeSchema("Beside every component", documentSchemas.component),
    describeSchema("A stream", documentSchemas.stream),
    describeSchema("`x-gw-api-gateway`", documentSchemas.apiGateway),
    describeSchema("`gateway.yaml`", documentSchemas.gateway),
    describeSchema("`management.yaml`", documentSchemas.management),
    "## Functions and methods of mappings",
    signatures,
    "### Functions",
    describeBuiltins(coreBuiltins.builtins.filter(({ kind }) => kind === "function")),
    "### Methods",
    describeBuiltins(coreBuiltins.builtins.filter(({ kind }) => kind === "method")),
  ];
  return `${sections.join("\n\n")}\n`;
}

const intro = `Every field a document may use. *Text with queries* takes \`\${! … }\`; a *mapping* and a *query* are written in
the mapping language; a *duration* is text such as \`500ms\`, \`5s\` or \`1m30s\`. Any value may be read from the
environment with \`\${NAME}\` or \`\${NAME:default}\`. Fields marked *no effect yet* are read and reported.`;

const signatures = `\`text\` is a string or bytes, and what is made of bytes is bytes; parameters of type \`string\` take bytes, too. A
method of \`any\` value works on all of them. \`?\` marks what may be left out, \`= …\` what is taken then. A \`query\` is
asked once for each element, with the element as \`this\`. \`unknown\` is a type that is not known before there are values;
the checker knows more where it knows the target.`;

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  writeFileSync(join(root, referencePath), generateReference());
  writeFileSync(join(root, compatibilityPath), generateCompatibility());
  writeFileSync(join(root, settingsPath), generateSettings());
  writeFileSync(join(root, commandsPath), generateCommands());
  writeFileSync(join(root, codesPath), generateCodes());
  writeFileSync(join(root, scalingPath), withInputTable(readFileSync(join(root, scalingPath), "utf8")));
}
