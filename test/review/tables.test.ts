// External names that equal inherited properties of objects (`constructor`, `__proto__`) must have no effect.

import { globSync } from "node:fs";
import { relative } from "node:path";
import { ts } from "ts-morph";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileMapping } from "../../compiler/embed/mapping.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { Message } from "../../runtime/message/message.ts";
import { avroToJson } from "../../runtime/processors/avro/avro.ts";
import { avroScanner } from "../../runtime/scanners/avro.ts";
import { projectRoot } from "../harness/directories.ts";
import { componentContext } from "../runtime/connectors/contexts.ts";

/** Tables that are looked up without a check, with the reason why no inherited name gets there. */
const excused: Readonly<Record<string, string>> = {
  "runtime/mapping/json-schema.ts limits[keyword]": "keywords that the checker knows",
  "runtime/mapping/root.ts rest[key]": "`__proto__` goes another way",
  "runtime/mapping/slug.ts letters[language]": "a language that there is",
  "runtime/mapping/slug.ts words[language]": "a language that there is",
  "runtime/mapping/strftime.ts numberWidths[letter]": "one character",
  "runtime/mapping/yaml-print.ts escapes[character]": "one character",
  "runtime/message/json-fault.ts literals[start]": "one character",
  "runtime/portal/requests/key-sets.ts curves[algorithm]": "compared with a text",
  "runtime/probe/probe-url.ts kinds[url.protocol]": "ends with a colon",
  "runtime/processors/jq/compile.ts operations[operator]": "operators that the parser knows",
  "runtime/processors/jq/parser.ts operators[text]": "queries, which documents write",
  "runtime/processors/jq/updates.ts operations[operator]": "operators that the parser knows",
  "runtime/text/quoting.ts shortEscapes[character]": "one character",
};

/** Returns every `table[text]` of the runtime whose table is an object literal and whose text may be any string. */
function lookups(): readonly string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(`${projectRoot}/tsconfig.json`, {}, host);
  const files = globSync("runtime/**/*.ts", { cwd: projectRoot, exclude: ["**/generated/**", "**/page/**"] });
  const program = ts.createProgram(
    files.map((file) => `${projectRoot}/${file}`),
    config?.options ?? {},
  );
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  for (const file of files) {
    const source = program.getSourceFile(`${projectRoot}/${file}`);
    const visit = (node: ts.Node) => {
      if (ts.isElementAccessExpression(node) && isLookup(checker, node) && !isGuarded(node))
        found.add(`${relative(projectRoot, `${projectRoot}/${file}`)} ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    if (source !== undefined) visit(source);
  }
  return [...found].sort();
}

function isLookup(checker: ts.TypeChecker, { expression, argumentExpression }: ts.ElementAccessExpression) {
  if ((checker.getTypeAtLocation(argumentExpression).flags & ts.TypeFlags.String) === 0) return false;
  const symbol = checker.getSymbolAtLocation(expression);
  const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const declared = (isAlias ? checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration;
  const value = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
  return value !== undefined && ts.isObjectLiteralExpression(value);
}

/** Whether the function that contains the lookup checks for the table's own properties. */
function isGuarded(node: ts.ElementAccessExpression): boolean {
  let around: ts.Node = node;
  while (!ts.isFunctionLike(around) && around.parent !== undefined) around = around.parent;
  return around.getText().includes(`Object.hasOwn(${node.expression.getText()},`);
}

const inherited = Object.getOwnPropertyNames(Object.prototype);

test("lookup tables are a `Map`, or are checked for own properties only", () => {
  assert.equal(lookups(), Object.keys(excused));
});

test("inherited property names in JSON paths, schemas and file headers are treated like any other name", async () => {
  const read = compileMapping("root = this.target.json_path(this.path)");
  const message = Message.fromText("{}");
  for (const name of inherited) {
    const value = { target: { a: 1 }, path: name };
    assert.is(read(new MappingRun([message], 0, message, { value })), null, name);
    const schema = JSON.stringify({ type: "long", logicalType: name });
    const processor = avroToJson({ operator: "to_json", encoding: "binary", schema });
    const [batch] = await processor.process(
      [Message.fromBytes(Uint8Array.of(2), new Map())],
      componentContext(),
    );
    assert.is(String(batch?.[0] && Buffer.from(batch[0].bytes())), "1", name);
    await assertUnfit(fileOf(name), `compressed by ${name}, which is not known`);
  }
});

/** Returns an object container file whose blocks are compressed with `codec`. */
function fileOf(codec: string): Uint8Array {
  const text = (value: string) => Buffer.concat([Uint8Array.of(2 * value.length), Buffer.from(value)]);
  const entries = [...["avro.codec", codec], ...["avro.schema", '"long"']].map(text);
  return Buffer.concat([Buffer.from("Obj\u0001"), Uint8Array.of(4), ...entries, new Uint8Array(17)]);
}

async function assertUnfit(bytes: Uint8Array, reason: string): Promise<void> {
  async function* source() {
    yield bytes;
  }
  try {
    for await (const _ of avroScanner({}).scan({ bytes: source(), name: "" })) assert.unreachable();
  } catch (error) {
    assert.instance(error, GatewayError);
    assert.match((error as GatewayError).message, reason);
  }
}

test.run();
