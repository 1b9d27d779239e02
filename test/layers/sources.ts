import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ts } from "ts-morph";

/** How a module imports another: kept at run time, erased, or loaded later. */
export type ImportKind = "value" | "type" | "dynamic";

/** One import, export-from or `import()` of a module. */
export interface Import {
  /** Project file (`compiler/source/source.ts`), or the package as written (`node:fs`, `yaml`). */
  readonly to: string;
  readonly isFile: boolean;
  readonly kind: ImportKind;
  readonly line: number;
}

/** The facts about a module that the rules need. */
export interface Source {
  /** Path from the project's root, with forward slashes. */
  readonly file: string;
  readonly imports: readonly Import[];
  readonly hasDefaultExport: boolean;
  /** Whether it consists of `export … from` only, which re-exports names. */
  readonly isBarrel: boolean;
  /** Whether it contains `export * from`, which hides the exported names. */
  readonly hasStarExport: boolean;
  readonly lines: number;
}

const outside = [
  "**/node_modules/**",
  "dist/**",
  "out/**",
  ".*/**",
  "test/emit/**/{gateway,types}.ts",
  "test/packages/cases/**",
];

/** Reads every hand-written module of the project. */
export function readSources(root: string): Source[] {
  const files = globSync("**/*.{ts,tsx,js}", { cwd: root, exclude: outside });
  return files.sort().map((file) => readSource(root, file.replaceAll("\\", "/")));
}

/** Reads one module; `file` is its path from the root. */
export function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const exportsFrom = tree.statements.filter(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  );
  return {
    file,
    imports: findImports(tree).map((found) => ({ ...found, ...resolve(root, file, found.to) })),
    hasDefaultExport: tree.statements.some(isDefaultExport),
    isBarrel: exportsFrom.length > 0 && exportsFrom.length === tree.statements.length,
    hasStarExport: exportsFrom.some(
      (statement) => ts.isExportDeclaration(statement) && !statement.exportClause,
    ),
    lines: text.split("\n").length - 1,
  };
}

type Found = Pick<Import, "to" | "kind" | "line">;

function findImports(tree: ts.SourceFile): Found[] {
  const found: Found[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, kind: ImportKind) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    found.push({
      to: specifier.text,
      kind,
      line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.importClause?.isTypeOnly ? "type" : "value");
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly ? "type" : "value");
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, "type");
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], "dynamic");
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  ) {
    return statement.exportClause.elements.some(({ name }) => name.text === "default");
  }
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  );
}

/** What `exports` of this package names otherwise than by its path. */
const exported: Readonly<Record<string, string>> = {
  "sluice/component": "component/component.ts",
  "sluice/component/contract": "component/contract.ts",
};

/** `./x.ts` and this package's own name lead to files of the project, everything else to a package. */
function resolve(root: string, from: string, specifier: string): Pick<Import, "to" | "isFile"> {
  if (specifier.startsWith(".")) return { to: posix.join(dirname(from), specifier), isFile: true };
  const own = exported[specifier] ?? specifier.replace(/^sluice\//, "");
  if (own !== specifier && existsSync(join(root, own))) return { to: own, isFile: true };
  return { to: specifier, isFile: false };
}
