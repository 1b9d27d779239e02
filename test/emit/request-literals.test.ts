// Checks every spelling of a request variable, in every input field that takes patterns: its value has to stay a literal.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { unsafeWithin } from "../../compiler/check/document/allow-unsafe.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import { type FormatName, literalForms, unreservedForms } from "../../schemas/formats/formats.ts";
import type { Schema } from "../../schemas/schema.ts";
import { emitValue } from "./emitted.ts";
import { allowing, fieldValue } from "./every-field.ts";

const spellings: Readonly<Record<string, string>> = {
  "$gw_context.path_params_room": "context.path_params_room",
  "$tyk_context.path_params_room": "context.path_params_room",
  "$gw_context.headers_X_Room": "context.headers_X_Room",
  "$gw_context.cookies_room": "context.cookies_room",
  "$gw_context.request_data_room": "context.request_data_room",
  "$gw_context.jwt_claims_sub": "context.jwt_claims_sub",
  "$gw_meta.team": "meta.team",
  "$tyk_meta.team": "meta.team",
};

/** Returns the fields that take a pattern, by their path below the input. */
function patternFields(schema: Schema, path: readonly (string | number)[] = []): readonly PatternField[] {
  // Fields that determine the build take no variables.
  if (schema["x-fixed"] === true) return [];
  const format = schema["x-format"];
  if (format !== undefined && literalForms[format] !== undefined) return [{ path, format }];
  return [
    ...(schema.items === undefined ? [] : patternFields(schema.items, [...path, 0])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      patternFields(each, [...path, name]),
    ),
  ];
}

interface PatternField {
  readonly path: readonly (string | number)[];
  readonly format: FormatName;
}

/** Returns `{ topics: [text] }` for the path `topics`, 0. */
function nested([step, ...rest]: PatternField["path"], text: string): unknown {
  if (step === undefined) return text;
  return typeof step === "number" ? [nested(rest, text)] : { [step]: nested(rest, text) };
}

async function emitted(name: string, options: object): Promise<string> {
  const { schema = {} } = coreCatalogue.find("input", name) ?? {};
  const document = {
    openapi: "3.1.0",
    info: { title: "Rooms", version: "1.0.0" },
    paths: {},
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    "x-gw-api-gateway": {
      info: { name: "rooms", id: "rooms", state: { active: true } },
      server: {
        listenPath: { value: "/" },
        authentication: { enabled: true, securitySchemes: { key: { enabled: true } } },
      },
    },
    "x-gw-streaming": {
      streams: {
        rooms: { input: { [name]: options }, output: { http_server: { stream_path: "/rooms/{room}" } } },
      },
    },
  };
  const set = { streaming: { enabled: true }, apis: ["api.yaml"], ...allowing(unsafeWithin(name, schema)) };
  return (await emitValue(set, "gateway.yaml", { "api.yaml": document })).gateway;
}

const fixed: Readonly<Record<string, string>> = {
  "file-pattern": "a/",
  "nats-filter": "a.",
  "nats-key-filter": "a.",
};
let fields = 0;
for (const { name, schema: input } of coreCatalogue.all("input")) {
  for (const { path, format } of patternFields(input)) {
    fields += 1;
    const forms = literalForms[format];
    test(`${name} ${path.join(".")}`, async () => {
      const required = Object.fromEntries(
        (input.required ?? []).map((field) => [
          field,
          fieldValue(input.properties?.[field] ?? {}, "literal", field),
        ]),
      );
      for (const [written, read] of Object.entries(spellings)) {
        const whole = await emitted(name, { ...required, ...Object(nested(path, written)) });
        assert.match(whole, `("${read}", ${camelCase(unreserved(forms?.whole))})`);
        const part = await emitted(name, {
          ...required,
          ...Object(nested(path, `${fixed[format] ?? "a"}${written}`)),
        });
        assert.match(part, `("${read}", ${camelCase(forms?.part)})`);
        assert.match(part, "request.together(");
      }
    });
  }
}

test("control: there are enough such fields", () => assert.ok(fields >= 9, `${fields}`));

test("values in a pattern of Kafka topics are escaped as literals", async () => {
  const options = { seed_brokers: ["localhost:9092"], topics: ["^a-$gw_meta.team$"], regexp_topics: true };
  assert.match(await emitted("kafka_franz", options), 'request.item("meta.team", kafkaPatternLiteral)');
});

/** Requests may not use names that a server reserves. */
function unreserved(form: FormatName | undefined): FormatName | undefined {
  return form && (unreservedForms[form] ?? form);
}

function camelCase(name = ""): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

test.run();
