import { Project, SyntaxKind } from "ts-morph";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { emitValue } from "./emitted.ts";

/** Texts that would run if any of them became code. */
const attacks = [
  '"); hostile(); ("',
  "'); hostile(); ('",
  "`); hostile(); (`",
  "a\\",
  "\u2028hostile()\u2029",
  "*/ hostile() /*",
  "</script><script>hostile()",
];

/** Resolves with the program of a stream that uses `text` for all texts and for the defaults of all variables. */
async function emit(text: string): Promise<string> {
  const { gateway } = await emitValue({
    openapi: "3.1.0",
    info: { title: "Texts", version: "1.0.0" },
    paths: {},
    "x-gw-streaming": {
      streams: {
        texts: {
          input: {
            label: text,
            mqtt: { urls: ["tcp://127.0.0.1:1883"], topics: ["texts"], user: text, client_id: `one-${text}` },
          },
          output: {
            kafka: {
              addresses: ["127.0.0.1:9092"],
              topic: "texts",
              key: `${text} \${! this.id } ${text}`,
              client_id: `\${CLIENT:${text.replaceAll("}", "")}}`,
            },
          },
        },
      },
    },
  });
  return gateway;
}

for (const text of attacks) {
  test(`${JSON.stringify(text)} stays a string literal in the program`, async () => {
    // Reading the syntax takes no library, and parsing those takes a second.
    const project = new Project({ useInMemoryFileSystem: true, compilerOptions: { noLib: true } });
    const file = project.createSourceFile("gateway.ts", await emit(text));
    const syntax = project.getProgram().compilerObject.getSyntacticDiagnostics(file.compilerNode);
    assert.equal(
      syntax.map(({ messageText }) => messageText),
      [],
    );
    const names = file.getDescendantsOfKind(SyntaxKind.Identifier).map((node) => node.getText());
    assert.not.ok(names.includes("hostile"));
    assert.ok(names.includes("kafkaOutput"));
  });
}

test("halves of characters in the names of a schema do not stop the build", async () => {
  const schema = { type: "object", properties: { "a\ud800": { enum: ["\udfff"], description: "\ud800" } } };
  const responses = { 200: { description: "accepted" } };
  const body = { content: { "application/json": { schema } } };
  const { types } = await emitValue({
    openapi: "3.1.0",
    info: { title: "Texts", version: "1.0.0" },
    paths: { "/in": { post: { requestBody: body, responses } } },
    "x-gw-streaming": {
      streams: { texts: { input: { http_server: { path: "/in" } }, output: { drop: {} } } },
    },
  });
  assert.match(types, `"a\ufffd"?: "\ufffd";`);
});

test.run();
