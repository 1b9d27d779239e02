// Finds every regular expression that a gateway may contain: in the runtime, in bundled packages, and in emitted code.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ts } from "ts-morph";
import { requireBanner } from "../../../compiler/link/linked-runtime.ts";
import { packagePatches } from "../../../compiler/link/patches/packages.ts";
import { projectRoot } from "../../harness/directories.ts";

/** An expression as it is written, `/a+/g`, and the modules that contain it. */
export interface Expression {
  readonly text: string;
  readonly source: string;
  readonly flags: string;
  readonly modules: ReadonlySet<string>;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** Modules that build expressions from computed texts. */
  readonly computing: ReadonlySet<string>;
}

interface Place {
  readonly module: string;
  readonly node: ts.Node;
}

/** Reads the whole runtime, linked like a gateway, and the emitted code of the examples. */
export async function findExpressions(): Promise<Found> {
  const found = new Map<string, { source: string; flags: string; modules: Set<string> }>();
  const computing = new Set<string>();
  for (const { module, node } of [...(await linkedNodes()), ...emittedNodes()]) {
    const written = expressionOf(node);
    if (written === "computed") computing.add(module);
    else {
      const text = `/${written.source}/${written.flags}`;
      const known = found.get(text);
      if (known === undefined) found.set(text, { ...written, modules: new Set([module]) });
      else known.modules.add(module);
    }
  }
  const expressions = [...found].map(([text, expression]) => ({ text, ...expression }));
  return { expressions: expressions.sort((a, b) => (a.text < b.text ? -1 : 1)), computing };
}

/** Every module is an entry point, so the output contains all exports of the runtime and the used parts of packages. */
async function linkedNodes(): Promise<readonly Place[]> {
  const entries = globSync("runtime/**/*.ts", { cwd: projectRoot }).filter((path) => !path.endsWith(".d.ts"));
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: entries,
    outdir: "linked",
    splitting: true,
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    banner: { js: requireBanner },
    legalComments: "none",
    logLevel: "silent",
    plugins: [...packagePatches()],
  });
  return outputFiles.flatMap(({ text }) => {
    const modules = [...text.matchAll(/^ *\/\/ ((?:runtime|node_modules)\/\S+)$/gm)];
    let next = 0;
    return nodesOf(text).map((node) => {
      while ((modules[next]?.index ?? Number.POSITIVE_INFINITY) < node.pos) next++;
      return { module: modules[next - 1]?.[1] ?? "", node };
    });
  });
}

function emittedNodes(): readonly Place[] {
  const paths = globSync("test/emit/**/{gateway,validators}.ts", { cwd: projectRoot });
  return paths.flatMap((path) =>
    nodesOf(readFileSync(join(projectRoot, path), "utf8")).map((node) => ({ module: path, node })),
  );
}

/** The functions that create expressions, and their flags if none are passed. */
const makers: ReadonlyMap<string, string> = new Map([
  ["RegExp", ""],
  ["unicodePattern", "u"],
]);

/** Returns the nodes that are expressions or create them, in order. */
function nodesOf(text: string): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    if (flagsOf(node) !== undefined || ts.isRegularExpressionLiteral(node)) nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("linked.ts", text, ts.ScriptTarget.Latest));
  return nodes;
}

function expressionOf(node: ts.Node): { readonly source: string; readonly flags: string } | "computed" {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  const given = isCall(node) ? (node.arguments ?? []) : [];
  const texts = [...given].map((argument) => (ts.isStringLiteralLike(argument) ? argument.text : undefined));
  const [source, flags = flagsOf(node) ?? ""] = texts;
  return source === undefined || texts.includes(undefined) ? "computed" : { source, flags };
}

/** Returns the default flags of the expression that a call creates; `undefined` if it creates none. */
function flagsOf(node: ts.Node): string | undefined {
  return isCall(node) && ts.isIdentifier(node.expression) ? makers.get(node.expression.text) : undefined;
}

function isCall(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return ts.isNewExpression(node) || ts.isCallExpression(node);
}
