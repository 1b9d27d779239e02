// Reads the project's modules for the figures: lines, exported names and imports, including types.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ts } from "ts-morph";

/** One hand-written module. */
export interface Module {
  /** Path from the project's root, with forward slashes. */
  readonly file: string;
  readonly lines: number;
  /** Names of the types, classes and constants that it declares and exports. */
  readonly exports: readonly string[];
  /** Files of the project that it imports, including type imports, each once. */
  readonly imports: readonly string[];
  /** Number of calls that look up a value in a tree by a literal key. */
  readonly lookUps: number;
}

const outside = ["**/node_modules/**", "dist/**", "out/**", ".*/**", "test/emit/**/{gateway,types}.ts"];

/** Returns every hand-written module of the project, including tests and scripts. */
export function readModules(root: string): readonly Module[] {
  return globSync("**/*.ts", { cwd: root, exclude: outside })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.includes("/generated/"))
    .sort()
    .map((file) => readModule(root, file));
}

function readModule(root: string, file: string): Module {
  const text = readFileSync(join(root, file), "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return {
    file,
    lines: text.split("\n").length - 1,
    exports: tree.statements.filter(isExported).flatMap(declaredNames),
    imports: [...new Set(specifiersIn(tree).map((specifier) => posix.join(dirname(file), specifier)))],
    lookUps: countLookUps(tree),
  };
}

const lookingUp = new Set([
  ...["findNode", "findText", "findEntry", "findField", "findNamedField", "findObject", "declaredOption"],
]);

/** Returns the number of calls that look up a value in a tree by a literal key. */
export function countLookUps(tree: ts.SourceFile): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && looksUp(node.expression) && node.arguments.some(ts.isStringLiteral))
      count += 1;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return count;
}

/** Whether a function looks up a value: one of `lookingUp`, or `references.find`. */
function looksUp(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return lookingUp.has(callee.text);
  return ts.isPropertyAccessExpression(callee) && /\breferences\.find$/.test(callee.getText());
}

/** Returns the relative specifiers of imports, re-exports, `import()` and `import("…").Type`. */
function specifiersIn(tree: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier) && specifier.text.startsWith(".")) {
      found.push(specifier.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  const isImportCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImportCall ? node.arguments[0] : undefined;
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function declaredNames(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const isDeclaration =
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name !== undefined ? [statement.name.text] : [];
}
