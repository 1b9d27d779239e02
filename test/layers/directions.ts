import type { Import, Source } from "./sources.ts";

// The table of the style guide, section 2. A part of the project is a folder of `compiler/`, of
// `runtime/` or of `runtime/connectors/`, or else a top-level folder; `compiler` and `runtime` by
// themselves are the files that lie directly in them.

type Permission = "any" | "types" | "types or dynamic" | RegExp;
type Permissions = Readonly<Record<string, Permission>>;

const foundations: Permissions = {
  "compiler/source": "any",
  "compiler/diagnostics": "any",
  "compiler/builtins": "any",
  "compiler/value-types": "any",
};
const phases: Permissions = {
  ...foundations,
  "compiler/parse": "any",
  "compiler/check": "any",
  "compiler/plan": "any",
  "compiler/optimise": "any",
  "compiler/emit": "any",
  "compiler/link": "any",
  "compiler/asyncapi": "any",
  "compiler/topology": "any",
};

/** The trees themselves: node types, the table of their children, and the walks over them. */
const trees =
  /\/(api|ast|branch-order|component-paths|dynamic-references|fields-of|left-out|listen-path|named-variables|operations|places|processor-paths|protection-blocks|security|served|store|tree|validated-operations|versions|walk)\.ts$/;

/** Compiled scripts: their types, and how they are run. */
const scripts = /\/(functions|mapping)\.ts$/;

/** What is wrong with a stream, and how operators are told: every part of the runtime that moves messages says so. */
const outcomes: Permissions = { "runtime/conditions": "any", "runtime/failures": "any" };

/** For each part, what it may import beside itself; `runtime/**` stands for every part of the runtime. */
const directions: Readonly<Record<string, Permissions>> = {
  "compiler/source": {},
  "compiler/builtins": { "compiler/value-types": "any" },
  "compiler/value-types": { "compiler/source": "types", "compiler/diagnostics": /\/suggest\.ts$/ },
  "compiler/diagnostics": { "compiler/source": "any" },
  "compiler/parse": { ...foundations, schemas: "any" },
  "compiler/check": { ...foundations, schemas: "any", "compiler/parse": trees },
  "compiler/plan": { ...foundations, schemas: "any", "compiler/parse": trees, "compiler/check": "types" },
  "compiler/asyncapi": {
    ...foundations,
    schemas: "any",
    "compiler/parse": trees,
    "compiler/check": "types",
    "compiler/plan": /\/message-steps\.ts$/,
  },
  "compiler/topology": { ...foundations, schemas: "any", "compiler/parse": trees },
  "compiler/optimise": { ...foundations, "compiler/plan": "any" },
  "compiler/emit": { ...foundations, "compiler/plan": "any" },
  "compiler/link": { "compiler/source": "any", "compiler/diagnostics": "any", "compiler/emit": "types" },
  "compiler/embed": { ...phases, schemas: "any", "runtime/**": "types or dynamic" },
  // The command that serves the management interface loads it when it runs.
  "compiler/cli": {
    ...phases,
    compiler: "any",
    "compiler/embed": "any",
    schemas: "any",
    management: "types or dynamic",
  },
  compiler: { ...phases, "compiler/embed": "any" },
  // `serve.ts` puts the chain together.
  runtime: {
    "runtime/incoming": "any",
    ...outcomes,
    "runtime/admin": "any",
    "runtime/keys": "types",
    "runtime/oauth": "types",
    "runtime/portal": "types",
    "runtime/store": "types",
    "runtime/middleware": "any",
    "runtime/instances": "any",
    "runtime/workers": "any",
    "runtime/grammar": "any",
    "runtime/processors": scripts,
  },
  // Connectors that speak WebSocket share how; those with checks or mappings run them as processors do.
  "runtime/**": {
    ...outcomes,
    runtime: "any",
    "runtime/incoming": "any",
    "runtime/sockets": "any",
    "runtime/requests": "any",
    "runtime/generated": "any",
    "runtime/grammar": "any",
    "runtime/processors": scripts,
  },
  // Codecs that Node lacks are there for mappings, too.
  "runtime/connectors/kafka": {
    ...outcomes,
    runtime: "any",
    "runtime/generated": "any",
    "runtime/grammar": "any",
    "runtime/processors": scripts,
    "runtime/mapping": /\/(lz4|snappy)\.ts$/,
  },
  // The chain starts and closes keys.
  "runtime/middleware": { runtime: "any", "runtime/incoming": "any", "runtime/keys": "types" },
  // Protections are steps of the chain.
  "runtime/protections": {
    runtime: "any",
    "runtime/incoming": "any",
    "runtime/middleware": "any",
    "runtime/requests": "any",
    "runtime/keys": "any",
    "runtime/limits": "any",
    "runtime/oauth": "types",
  },
  // Counters in Redis use the connection that caches have.
  "runtime/oauth": {
    runtime: "any",
    "runtime/generated": "any",
    "runtime/middleware": "any",
    "runtime/resources": "any",
    "runtime/store": "types",
  },
  // Keys of a store are read by its tables.
  "runtime/keys": { runtime: "any", "runtime/store": "types" },
  // The portal is a step of the chain that keeps records and makes keys, and reads answers to webhooks.
  "runtime/portal": {
    runtime: "any",
    "runtime/incoming": "any",
    "runtime/rest": "any",
    "runtime/generated": "any",
    "runtime/requests": "any",
    "runtime/middleware": "any",
    "runtime/store": "any",
    "runtime/keys": "any",
    "runtime/oauth": "any",
  },
  "runtime/limits": {
    runtime: "any",
    "runtime/generated": "any",
    "runtime/resources": "any",
    "runtime/sockets": "any",
  },
  // Analytics are told of calls.
  "runtime/analytics": {
    ...outcomes,
    runtime: "any",
    "runtime/generated": "any",
    "runtime/requests": "any",
    "runtime/middleware": "types",
  },
  // The upstream is the last step of the chain.
  "runtime/proxy": {
    runtime: "any",
    "runtime/incoming": "any",
    "runtime/middleware": "any",
    "runtime/requests": "any",
  },
  // Gateways that follow deployments are changed while they run.
  "runtime/artifact": { runtime: "any", "runtime/live": "any", "runtime/tail": "any" },
  // Deployments change what the core runs.
  "runtime/live": { runtime: "any", "runtime/middleware": "any", "runtime/artifact": "types" },
  // A worker puts what others pass on through the chain.
  "runtime/workers": { runtime: "any", "runtime/middleware": "any", "runtime/admin": "any" },
  // Checks of a `switch` answer with the errors of the language.
  "runtime/processors": { runtime: "any", "runtime/mapping": "any", "runtime/requests": "any" },
  schemas: {},
  examples: { compiler: "any" },
  editor: { compiler: "any", schemas: "any" },
  // The schema of definitions is one of its answers.
  management: {
    compiler: "any",
    "compiler/topology": "types",
    runtime: "any",
    "runtime/**": "any",
    schemas: /\/whole-document\.ts$/,
  },
  bin: {},
};

/** Folders that may import from everywhere, and are imported by each other only. */
const unbound = new Set(["test", "scripts", "bench"]);

/** Clients of brokers: each is known to one connector, so that a gateway bundles what it uses. */
const clients: Readonly<Record<string, string>> = {
  kafkajs: "runtime/connectors/kafka",
  ioredis: "runtime/resources",
  kysely: "runtime/store",
  nats: "runtime/connectors/nats",
  nodemailer: "runtime/portal",
  pg: "runtime/store",
  mqtt: "runtime/connectors/mqtt",
};

/** Parts that import no package either, not even Node's. */
const bare = new Set(["compiler/source", "compiler/builtins"]);

/** `compiler/parse/yaml/tree.ts` -> `compiler/parse`. */
export function partOf(file: string): string {
  const folders = file.split("/").slice(0, -1);
  const [top = ".", second] = folders;
  if (top !== "compiler" && top !== "runtime") return top;
  return folders.slice(0, second === "connectors" ? 3 : 2).join("/");
}

/** A foundation of the runtime that imports nothing. */
const scansOfText = "runtime/text";

/** A sentence for each import that the table does not allow. */
export function findForbiddenImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, imports }) =>
    imports
      .filter(
        (imported) => !(imported.isFile ? mayImportFile(file, imported) : mayImportPackage(file, imported)),
      )
      .map(({ to, kind, line }) => `${file}:${line}: ${partOf(file)} must not import ${to} (${kind})`),
  );
}

/** Parts of the runtime that all others may import. */
const counted: ReadonlySet<string> = new Set(["runtime/memory", "runtime/logins"]);

function mayImportFile(file: string, imported: Import): boolean {
  const [from, to] = [partOf(file), partOf(imported.to)];
  if (from === to || unbound.has(from)) return true;
  const isRuntime = (part: string) => part.startsWith("runtime/");
  if (to === scansOfText && (from === "runtime" || isRuntime(from))) return true;
  // Every part that reads bytes counts them, and so does every part that verifies secrets.
  if (counted.has(to) && (from === "runtime" || isRuntime(from))) return true;
  const own = directions[from] ?? (isRuntime(from) ? directions["runtime/**"] : undefined);
  const isAllRuntime = to === "runtime" || isRuntime(to);
  return allows(own?.[to] ?? (isAllRuntime ? own?.["runtime/**"] : undefined), imported);
}

function allows(permission: Permission | undefined, { to, kind }: Import): boolean {
  if (permission === undefined) return false;
  if (permission === "any" || kind === "type") return true;
  if (permission === "types or dynamic") return kind === "dynamic";
  return permission instanceof RegExp && permission.test(to);
}

function mayImportPackage(file: string, { to }: Import): boolean {
  const from = partOf(file);
  if (bare.has(from)) return false;
  const owner = clients[to];
  return owner === undefined || owner === from || !/^(compiler|runtime)(\/|$)/.test(from);
}
