import type { Import, Source } from "./sources.ts";

// The table of the style guide, section 2. A part of the project is a folder of `compiler/`, of `pages/`, of
// `runtime/` (a room) or of `runtime/connectors/`, a file of the root of `runtime/`, or else a top-level
// folder; `compiler` stands for the files that lie directly in it, without its public API.

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
  "compiler/trees": "any",
  "compiler/model": "any",
  "compiler/parse": "any",
  "compiler/check": "any",
  "compiler/plan": "any",
  "compiler/optimise": "any",
  "compiler/emit": "any",
  "compiler/link": "any",
  "compiler/asyncapi": "any",
  "compiler/topology": "any",
  "compiler/format": "any",
};

/** What phases after the model read: what documents mean, and the trees themselves; never how they were read. */
const meaning: Permissions = {
  ...foundations,
  schemas: "any",
  "compiler/trees": "any",
  "compiler/model": "any",
};

/** The permitted imports of each part from others; `runtime/**` stands for every part of the runtime. */
const directions: Readonly<Record<string, Permissions>> = {
  "compiler/source": {},
  "compiler/builtins": { "compiler/value-types": "any", schemas: "types" },
  "compiler/value-types": { "compiler/source": "types", "compiler/diagnostics": /\/suggest\.ts$/ },
  // One table of the names of secrets for diagnostics and samples of streams.
  "compiler/diagnostics": {
    "compiler/source": "any",
    schemas: "types",
    "runtime/text": /\/secret-names\.ts$/,
  },
  "compiler/trees": { ...foundations, schemas: "any" },
  "compiler/parse": { ...foundations, schemas: "any", "compiler/trees": "any" },
  "compiler/format": { ...foundations, "compiler/trees": "any", "compiler/parse": "any" },
  "compiler/model": { ...foundations, schemas: "any", "compiler/trees": "any" },
  // The gateway and the warning about credentials agree on what a pattern of origins allows.
  "compiler/check": { ...meaning, "runtime/text": /\/origin-pattern\.ts$/ },
  "compiler/plan": { ...meaning, "compiler/check": "types" },
  "compiler/asyncapi": { ...meaning, "compiler/check": "types", "compiler/plan": /\/message-steps\.ts$/ },
  "compiler/topology": { ...meaning, "compiler/plan": "types" },
  "compiler/optimise": { ...foundations, "compiler/plan": "any" },
  "compiler/emit": { ...foundations, "compiler/plan": "any" },
  "compiler/link": { "compiler/source": "any", "compiler/diagnostics": "any", "compiler/emit": "types" },
  // What is written beside a gateway for those who ship it.
  "compiler/ship": { ...foundations, schemas: "any", "compiler/plan": "any", "compiler/emit": "types" },
  "compiler/evaluate": {
    ...foundations,
    schemas: "types",
    "compiler/check": "types",
    "compiler/emit": "any",
    "runtime/**": "types or dynamic",
  },
  "compiler/packages": {
    ...foundations,
    schemas: "any",
    "compiler/trees": "any",
    "compiler/parse": "any",
    "compiler/check": /\/schema-functions\.ts$/,
    "compiler/evaluate": "any",
  },
  "compiler/templates": {
    ...foundations,
    schemas: "any",
    "compiler/trees": "any",
    "compiler/parse": "any",
    "compiler/model": "any",
    "compiler/check": /\/(?:shape|check)\.ts$/,
    "compiler/plan": "any",
    "compiler/emit": "any",
    "compiler/evaluate": "any",
    "runtime/**": "types",
  },
  compiler: {
    ...phases,
    "compiler/evaluate": "any",
    "compiler/packages": "any",
    "compiler/templates": "any",
  },
  // Layers around the compiler: it imports none of them.
  "compiler/embed": {
    ...phases,
    compiler: "types",
    "compiler/packages": "any",
    "compiler/templates": "any",
    "compiler/evaluate": "any",
    schemas: "any",
    "runtime/**": "types or dynamic",
  },
  "compiler/index.ts": { ...phases, compiler: "any", "compiler/embed": "any" },
  "compiler/cli": {
    ...phases,
    compiler: "any",
    "compiler/index.ts": "any",
    "compiler/embed": "any",
    "compiler/ship": "any",
    schemas: "any",
  },
  // The command line with all commands; the management service is loaded when its command runs.
  cli: {
    compiler: "any",
    "compiler/cli": "any",
    "compiler/embed": "any",
    "compiler/index.ts": "any",
    management: "types or dynamic",
    "language-server": "types or dynamic",
    playground: "types or dynamic",
  },
  // Editors are told what the compiler knows; nothing but the command line imports it.
  "language-server": {
    ...phases,
    compiler: "any",
    "compiler/evaluate": "any",
    // What unit tests name, and what is wrong with them; running them is for `sluice test`.
    "compiler/embed": /\/(?:unit-tests\/(?:definition|find-definitions|check-cases|check-test|target))\.ts$/,
    "compiler/index.ts": "any",
    schemas: "any",
  },
  // What other packages import; inside a gateway the same name is the part of the runtime alone.
  component: { schemas: "any", "compiler/builtins": "any", "runtime/extension": "any" },
  schemas: {},
  examples: { "compiler/index.ts": "any", component: "any" },
  editor: {
    compiler: "any",
    "compiler/index.ts": "any",
    schemas: "any",
    management: /^management\/drawing\/(?:drawing|picture|print-svg)\.ts$/,
  },
  // What runs in the worker of the playground, and what serves its page.
  playground: {
    ...phases,
    compiler: "any",
    "compiler/evaluate": "any",
    "compiler/embed": "any",
    "language-server": "any",
    pages: "any",
    management: /^management\/drawing\/(?:drawing|lay-out)\.ts$/,
    "runtime/**": "types",
    "runtime/http": /\/page-document\.ts$/,
    scripts: "any",
  },
  // What runs in browsers: one folder a page, and a kit for all; of the servers they know what is answered.
  pages: {},
  "pages/kit": {},
  "pages/admin": { "pages/kit": "any", "runtime/**": "types" },
  "pages/portal": { "pages/kit": "any", "runtime/**": "types" },
  "pages/play": { "pages/kit": "any", "pages/management": /\/topology\.tsx$/, playground: "types" },
  "pages/management": { "pages/kit": "any", management: /^management\/drawing\/picture\.ts$/ },
  // The schema of definitions is one of its answers.
  management: {
    pages: "any",
    compiler: "any",
    "compiler/index.ts": "any",
    "compiler/topology": "types",
    "runtime/**": "any",
    schemas: /\/whole-document\.ts$/,
    playground: /\/files\.ts$/,
  },
  bin: {},
};

/** Folders that may import from everywhere, but are imported by each other only. */
const unbound = new Set(["test", "scripts", "bench"]);

/**
 * The rooms of the runtime (`docs/rooms.md`): each may import those before it, types included. Connectors do not import
 * each other.
 */
export const rooms: readonly string[] = [
  "runtime/errors.ts",
  "runtime/text",
  "runtime/process",
  "runtime/message",
  "runtime/conditions",
  "runtime/failures",
  "runtime/concurrency",
  "runtime/component",
  "runtime/store",
  "runtime/keys",
  "runtime/http",
  "runtime/grammar",
  "runtime/stream",
  "runtime/generated",
  "runtime/requests",
  "runtime/analytics",
  "runtime/clients",
  "runtime/probe",
  "runtime/mapping",
  "runtime/extension",
  "runtime/processors",
  "runtime/scanners",
  "runtime/buffers",
  "runtime/logins",
  "runtime/resources",
  "runtime/rest",
  "runtime/oauth",
  "runtime/counters.ts",
  "runtime/sign-on",
  "runtime/portal",
  "runtime/sockets",
  "runtime/connectors",
  "runtime/leases",
  "runtime/protection.ts",
  "runtime/gateway.ts",
  "runtime/middleware",
  "runtime/gateway",
  "runtime/limits",
  "runtime/protections",
  "runtime/proxy",
  "runtime/main.ts",
];

/** Clients of brokers: each is known to the parts that are about it, so that a gateway bundles what it uses. */
const clients: Readonly<Record<string, string | readonly string[]>> = {
  kafkajs: "runtime/connectors/kafka",
  ioredis: ["runtime/resources", "runtime/connectors/redis"],
  kysely: ["runtime/store", "runtime/leases"],
  nats: ["runtime/connectors/nats", "runtime/leases"],
  nodemailer: "runtime/portal",
  pg: ["runtime/store", "runtime/connectors/sql"],
  "pg-cursor": "runtime/connectors/sql",
  mqtt: "runtime/connectors/mqtt",
};

/** Parts that import no packages either, not even those of Node. */
const bare = new Set(["compiler/source", "compiler/builtins"]);

/** `compiler/parse/yaml/tree.ts` -> `compiler/parse`; `runtime/errors.ts` and `compiler/index.ts` are parts of their own. */
export function partOf(file: string): string {
  const folders = file.split("/").slice(0, -1);
  const [top = ".", second] = folders;
  if (file === "compiler/index.ts" || (top === "runtime" && second === undefined)) return file;
  if (top !== "compiler" && top !== "pages" && top !== "runtime") return top;
  return folders.slice(0, second === "connectors" ? 3 : 2).join("/");
}

/** Returns a sentence for each import that the table does not allow. */
export function findForbiddenImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, imports }) =>
    imports
      .filter(
        (imported) => !(imported.isFile ? mayImportFile(file, imported) : mayImportPackage(file, imported)),
      )
      .map(({ to, kind, line }) => `${file}:${line}: ${partOf(file)} must not import ${to} (${kind})`),
  );
}

function mayImportFile(file: string, imported: Import): boolean {
  const [from, to] = [partOf(file), partOf(imported.to)];
  if (from === to || unbound.has(from)) return true;
  if (isRoom(from)) return isRoom(to) && placeOf(to) < placeOf(from);
  const own = directions[from];
  return allows(own?.[to] ?? (isRoom(to) ? own?.["runtime/**"] : undefined), imported);
}

function isRoom(part: string): boolean {
  return part.startsWith("runtime/");
}

/** Returns the position of a room; an unlisted room may import everything, and therefore nothing may import it. */
function placeOf(room: string): number {
  const place = rooms.indexOf(room.replace(/^(runtime\/connectors)\/.*/, "$1"));
  return place === -1 ? rooms.length : place;
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
  const owners = clients[to];
  return owners === undefined || [owners].flat().includes(from) || !/^(compiler|runtime)(\/|$)/.test(from);
}
