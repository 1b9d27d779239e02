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

test("a long list of data is written as JSON that reads back as the same", async () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => ({
    alias: `${index} \n\r\t\u0000\ud800 \\" \\\\ \\u0041 ${attacks[index % attacks.length]}`,
    key_hash: index.toString(16).padStart(64, "0"),
    meta_data: { ["__proto__"]: "a", "`": 1.5, list: [true, null] },
  }));
  const api = {
    openapi: "3.1.0",
    info: { title: "Keys", version: "1.0.0" },
    paths: {},
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
    security: [{ key: [] }],
    "x-gw-api-gateway": {
      info: { id: "keys" },
      server: {
        listenPath: { value: "/" },
        authentication: { enabled: true, securitySchemes: { key: { enabled: true } } },
      },
    },
    "x-gw-streaming": {
      streams: { all: { input: { http_server: { path: "/in" } }, output: { drop: {} } } },
    },
  };
  const { gateway } = await emitValue(
    { streaming: { enabled: true }, apis: ["api.yaml"], keys },
    "gateway.yaml",
    {
      "api.yaml": api,
    },
  );
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions: { noLib: true } });
  const file = project.createSourceFile("gateway.ts", gateway);
  const texts = file.getDescendantsOfKind(SyntaxKind.NoSubstitutionTemplateLiteral);
  assert.equal(
    texts.map((text) => JSON.parse(text.getLiteralText())),
    [keys],
  );
});

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
