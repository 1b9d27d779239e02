// Generates the runtime's option types and defaults from the schemas: `node scripts/generate-options.ts`.
// `test/schemas/generated.test.ts` fails if the checked-in files differ from its output.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { coreCatalogue, documentSchemas } from "../schemas/catalogue.ts";
import { type ComponentRole, componentRoles } from "../schemas/component.ts";
import { parseDuration } from "../schemas/duration.ts";
import type { Format } from "../schemas/formats/format.ts";
import { formats } from "../schemas/formats/formats.ts";
import type { BroughtName, MakerName, Schema } from "../schemas/schema.ts";
import { componentsFile, optionNamesFile } from "./generate-components.ts";
import { generatePages } from "./generate-pages.ts";
import { generateRecords } from "./generate-records.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Modules of the runtime's own types, relative to `runtime/`. */
const modules = {
  Text: "component/text.ts",
  Input: "component/component.ts",
  Output: "component/component.ts",
  Processor: "component/component.ts",
  Scanner: "component/scanner.ts",
  Buffer: "component/component.ts",
  Cache: "component/resource.ts",
  RateLimit: "component/resource.ts",
  MappingFunction: "processors/functions.ts",
  ValueFunction: "processors/functions.ts",
  QueryFunction: "processors/functions.ts",
  ResultMapFunction: "processors/functions.ts",
  NameTest: "message/name-filter.ts",
  HostTest: "requests/public-addresses.ts",
  Credentials: "requests/request.ts",
  ProxyServer: "requests/proxy.ts",
  CorsPolicy: "component/endpoint.ts",
  PathTest: "keys/path-test.ts",
  PasswordTest: "keys/passwords.ts",
  Distribution: "clients/distribution.ts",
  MailerSource: "portal/mail/mailing.ts",
  AccountsSource: "portal/accounts/accounts.ts",
  ClientAuthority: "portal/certificates/client-authority.ts",
  PortalSignOn: "portal/sign-on/contract.ts",
  JoinClients: "sockets/join-clients.ts",
  PortalPage: "portal/page/page.ts",
  KeyUsageSource: "portal/page/key-usage.ts",
  TokenMaker: "connectors/kafka/msk-token.ts",
  AuthorizationEndpoint: "oauth/authorization-endpoint.ts",
  DeviceAuthorization: "oauth/device-authorization.ts",
} as const;

/** The types that the runtime gets for blocks that a function converts. */
const made: Readonly<Record<MakerName, keyof typeof modules>> = {
  "name-test": "NameTest",
  "host-test": "HostTest",
  oauth: "Credentials",
  "client-credentials": "Credentials",
  "basic-credentials": "Credentials",
  "signed-token": "Credentials",
  proxy: "ProxyServer",
  cors: "CorsPolicy",
  "path-test": "PathTest",
  "password-test": "PasswordTest",
  "smtp-mailer": "MailerSource",
  "client-authority": "ClientAuthority",
  "portal-accounts": "AccountsSource",
  "portal-sign-on": "PortalSignOn",
  "msk-token": "TokenMaker",
};

/** The types that the runtime gets for choices that require a function. */
const brought: Readonly<Record<BroughtName, keyof typeof modules>> = {
  broadcast: "Distribution",
  "resumable-broadcast": "Distribution",
  "acknowledged-client": "JoinClients",
  "portal-page": "PortalPage",
  "key-usage": "KeyUsageSource",
  "authorization-endpoint": "AuthorizationEndpoint",
  "device-authorization": "DeviceAuthorization",
};

/** A generated file, with a path relative to the root of the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns all generated files, in the order of the catalogue. */
export async function generateOptions(): Promise<readonly GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const role of componentRoles) {
    for (const { name, schema, runtime } of coreCatalogue.all(role)) {
      // The variants of a processor are in folders of their own and share its options.
      const folder = role === "processor" ? "runtime/processors" : dirname(runtime.module);
      const path = `${folder}/generated/${optionsFile(role, name)}-options.ts`;
      const toRuntime = "../".repeat(path.split("/").length - 2);
      files.push({ path, text: await generateFile(schema, toRuntime) });
    }
  }
  for (const [name, schema] of exporterSchemas()) {
    const path = `runtime/analytics/generated/${kebab(name)}-options.ts`;
    files.push({ path, text: await generateFile(schema, "../../") });
  }
  files.push({
    path: "runtime/keys/generated/access-options.ts",
    text: await generateFile(access(), "../../"),
  });
  files.push({
    path: "runtime/portal/generated/webhooks-options.ts",
    text: await generateFile(documentSchemas.gateway.properties?.webhooks ?? {}, "../../"),
  });
  files.push({ path: "runtime/generated/formats.ts", text: formatsFile() }, ...generateRecords());
  files.push({ path: "runtime/generated/product-version.ts", text: versionFile() });
  files.push(...(await generatePages()));
  files.push(componentsFile(root), optionNamesFile());
  return files;
}

/** Returns the file with the version of the package, which gateways report to operators. */
function versionFile(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return [
    "// Generated from package.json by scripts/generate-options.ts. Do not edit.\n",
    "/** Version of the package that a gateway was built with. */",
    `export const productVersion = ${JSON.stringify(version)};\n`,
  ].join("\n");
}

/** Returns the exporters that have options, without `enabled`: a disabled exporter is not in the gateway. */
function exporterSchemas(): readonly (readonly [name: string, schema: Schema])[] {
  const exporters = Object.entries(documentSchemas.gateway.properties?.analytics?.properties ?? {});
  return exporters.flatMap(([name, schema]) => {
    const { enabled: _, ...properties } = schema.properties ?? {};
    return Object.keys(properties).length === 0 ? [] : [[name, { ...schema, properties }] as const];
  });
}

/** Returns the schema of the policies and keys that the runtime gets. */
function access(): Schema {
  const { policies, keys } = documentSchemas.gateway.properties ?? {};
  if (policies === undefined || keys === undefined) throw new Error("gateway.yaml has no policies and keys");
  return { title: "Access", type: "object", properties: { policies, keys } };
}

/** Returns the file with the text formats, for values that a gateway reads at startup. */
function formatsFile(): string {
  const declarations = Object.entries(formats).map(
    ([name, { pattern, title, longest }]: readonly [string, Format]) => {
      const constant = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return `export const ${constant} = /* @__PURE__ */ matching(\n  ${pattern},\n  ${JSON.stringify(title)},${longest === undefined ? "" : `\n  ${longest},`}\n);`;
    },
  );
  return [
    "// Generated from schemas/formats/ by scripts/generate-options.ts. Do not edit.\n",
    'import { matching } from "../process/environment-limits.ts";\n',
    `${declarations.join("\n\n")}\n`,
  ].join("\n");
}

async function generateFile(schema: Schema, toRuntime: string): Promise<string> {
  const title = schema.title ?? "";
  const declarations = await compile(toTypes(schema), `${title}Options`, {
    bannerComment: "",
    additionalProperties: false,
    unreachableDefinitions: true,
  });
  const body = declarations
    .replaceAll(/ \*\n \* This interface was referenced by [^\n]*\n \* via [^\n]*\n/g, "")
    .replaceAll(/^( +)("[^"]+"|\w+)(\??:)/gm, "$1readonly $2$3");
  const used = Object.keys(modules).filter((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(body)));
  return [
    "// Generated from the schema by scripts/generate-options.ts. Do not edit.\n",
    importLines(used, toRuntime),
    body.trimEnd(),
    defaultsOf(schema, title),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .replace("edit.\n\n\n", "edit.\n\n")
    .concat("\n");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
}

function importLines(names: readonly string[], toRuntime: string): string {
  const byModule = Map.groupBy(names, (name) => modules[name as keyof typeof modules]);
  return [...byModule]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, list]) => `import type { ${list.sort().join(", ")} } from "${toRuntime}${module}";`)
    .join("\n");
}

/** Returns the schema for json-schema-to-typescript, with the runtime's own types where they differ. */
function toTypes(schema: Schema): JSONSchema {
  const file: Declarations = { named: {}, blocks: new Map() };
  const types = convert(schema, file);
  return { ...types, title: `${schema.title}Options`, definitions: file.named };
}

/** The collected declarations of one file. */
interface Declarations {
  /** Blocks in lists and maps, by title. */
  readonly named: Record<string, JSONSchema>;
  /** Blocks with a title, by their content: the library declares a repeated object only once. */
  readonly blocks: Map<string, JSONSchema>;
}

function convert(schema: Schema, file: Declarations): JSONSchema {
  if (schema.title === undefined) return convertBlock(schema, file);
  const key = JSON.stringify(schema);
  const block = file.blocks.get(key) ?? convertBlock(schema, file);
  file.blocks.set(key, block);
  return block;
}

function convertBlock(schema: Schema, file: Declarations): JSONSchema {
  const description = schema.description === undefined ? {} : { description: schema.description };
  const special = specialType(schema, file);
  if (special !== undefined) return { ...description, tsType: special };
  if (schema.type !== "object" || schema.properties === undefined) {
    // The subset of 2020-12 used here is the same in draft 4, for which the library has types.
    return { ...description, type: schema.type, ...(schema.enum && { enum: schema.enum }) } as JSONSchema;
  }
  const own = Object.entries(schema.properties).filter(([, property]) => property["x-alias"] === undefined);
  return {
    ...description,
    ...(schema.title === undefined ? {} : { title: schema.title }),
    type: "object",
    additionalProperties: false,
    required: [...(schema.required ?? [])],
    properties: Object.fromEntries(own.map(([name, property]) => [name, convert(property, file)])),
  };
}

/** Returns TypeScript for types that JSON Schema cannot express, and for lists and maps, which are read-only. */
function specialType(schema: Schema, file: Declarations): string | undefined {
  // Nothing is created from a value that is disabled or empty.
  if (schema["x-made-by"] !== undefined) return `${made[schema["x-made-by"]]} | undefined`;
  if (schema["x-brings"] !== undefined) return brought[schema["x-brings"]];
  switch (schema["x-text"]) {
    case "interpolated":
      return "Text";
    case "mapping":
      if (schema["x-root"] === "value") return "ValueFunction";
      return schema["x-root"] === "origin" ? "ResultMapFunction" : "MappingFunction";
    case "query":
      return "QueryFunction";
    case undefined:
  }
  const shared = schema["x-resource"];
  if (shared !== undefined)
    return schema["x-unit"] === "duration" ? `number | ${pascal(shared)}` : pascal(shared);
  if (schema["x-unit"] === "duration") return "number";
  if (schema["x-component"] !== undefined) {
    const component = capitalise(schema["x-component"]);
    return schema["x-factory"] === true ? `(() => ${component})` : component;
  }
  if (schema.items !== undefined) return `readonly ${itemType(schema.items, file)}[]`;
  if (typeof schema.additionalProperties === "object") {
    return `Readonly<Record<string, ${itemType(schema.additionalProperties, file)}>>`;
  }
  return undefined;
}

function itemType(schema: Schema, file: Declarations): string {
  const special = specialType(schema, file);
  if (special !== undefined) return special.startsWith("readonly ") ? `(${special})` : special;
  if (schema.enum !== undefined) return `(${schema.enum.map((value) => JSON.stringify(value)).join(" | ")})`;
  if (schema.type === "integer") return "number";
  if (schema.type === "object" && schema.title !== undefined) {
    file.named[schema.title] = convert(schema, file);
    return schema.title;
  }
  return String(schema.type);
}

function defaultsOf(schema: Schema, title: string): string {
  const defaults = collectDefaults(schema);
  if (defaults === undefined) return "";
  const name = `${title.charAt(0).toLowerCase()}${title.slice(1)}Defaults`;
  const value = JSON.stringify(defaults, null, 2).replaceAll(/^( +)"(\w+)":/gm, "$1$2:");
  return `/** What the fields hold that a document leaves out. */\nexport const ${name} = ${value} as const satisfies Partial<${title}Options>;`;
}

/** Returns the default values by field, durations in milliseconds; `undefined` if no field has one. */
function collectDefaults(schema: Schema): Readonly<Record<string, unknown>> | undefined {
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (property["x-alias"] !== undefined) return [];
    const value = defaultOf(property);
    return value === undefined ? [] : [[name, value] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function defaultOf(schema: Schema): unknown {
  if (schema["x-made-by"] !== undefined || schema["x-brings"] !== undefined) return undefined;
  if (schema["x-unit"] === "duration" && typeof schema.default === "string")
    return parseDuration(schema.default);
  // An empty map would only widen the type of the settings; connectors treat an absent map as empty.
  if (typeof schema.additionalProperties === "object") return undefined;
  return schema.default ?? collectDefaults(schema);
}

function kebab(name: string): string {
  return name.replaceAll("_", "-");
}

/** Returns the name of the options file. Inputs and outputs have folders of their own; others share one per kind. */
function optionsFile(role: ComponentRole, name: string): string {
  if (role === "input" || role === "output") return role;
  return role === "processor" ? kebab(name) : `${kebab(name)}-${kebab(role)}`;
}

/** `rate_limit` as `RateLimit`. */
function pascal(name: string): string {
  return name.split("_").map(capitalise).join("");
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

if (import.meta.main) {
  const list = componentsFile(root);
  const isListed = readFileSync(join(root, list.path), "utf8") === list.text;
  if (isListed) {
    for (const file of await generateOptions()) write(file);
  } else {
    // This process has loaded the previous list: a new one generates the files that depend on the new list.
    write(list);
    process.exitCode = spawnSync(process.execPath, [import.meta.filename], { stdio: "inherit" }).status ?? 1;
  }
}

function write({ path, text }: GeneratedFile): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
