// Conversions between formats and values. They are implemented in the files of runtime/mapping named here.

import { type Builtin, type Details, method, parameter } from "./builtin.ts";
import { changes, csvRecords, formFields, textsAndFlags, urlParts } from "./results/shapes.ts";
import { always, sameAsTarget } from "./results/target.ts";

const text: Details = { targets: ["string", "bytes"] };

export const parsing: readonly Builtin[] = [
  method("csv.ts", "parse_csv", "The records of separated values: objects by the first one, or arrays.", {
    ...text,
    returns: "array",
    args: [
      parameter("parse_header_row", "bool", true),
      parameter("delimiter", "string", ","),
      parameter("lazy_quotes", "bool", false),
    ],
    result: csvRecords,
  }),
  method("yaml.ts", "parse_yaml", "The value the first YAML document of a text stands for.", text),
  method("yaml-print.ts", "format_yaml", "The value as YAML.", { returns: "bytes", canFail: false }),
  method("xml.ts", "parse_xml", "The elements of an XML text; attributes are keys with a leading `-`.", {
    ...text,
    returns: "object",
    plugin: true,
    args: [parameter("cast", "bool", false)],
  }),
  method("xml-print.ts", "format_xml", "The object as XML, laid out over lines or not.", {
    targets: ["object"],
    returns: "bytes",
    plugin: true,
    args: [parameter("indent", "string", "    "), parameter("no_indent", "bool", false)],
  }),
  method("msgpack.ts", "parse_msgpack", "The value MessagePack bytes stand for.", {
    targets: ["string", "bytes", "timestamp"],
    plugin: true,
  }),
  method("msgpack.ts", "format_msgpack", "The value as MessagePack bytes.", {
    returns: "bytes",
    canFail: false,
    plugin: true,
  }),
  method("parquet.ts", "parse_parquet", "The rows of a Parquet file.", {
    ...text,
    returns: "array",
    plugin: true,
    args: [parameter("byte_array_as_string", "bool", false)],
  }),
  method("url.ts", "parse_url", "The parts of a URL.", {
    ...text,
    returns: "object",
    result: always(urlParts),
  }),
  method("url.ts", "parse_form_url_encoded", "The fields of form text; repeated ones are arrays.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "object",
    result: always(formFields),
    plugin: true,
  }),
  method("logfmt.ts", "parse_logfmt", "The pairs of a logfmt line.", {
    ...text,
    returns: "object",
    result: always(textsAndFlags),
  }),
];

export const documents: readonly Builtin[] = [
  method("nested.ts", "bloblang", "The value through a mapping that is a text.", {
    pure: false,
    args: [parameter("mapping", "string")],
    capability: "compiler",
    state: { symbol: "createNested", when: "always" },
  }),
  method("json-path.ts", "json_path", "What a JSONPath expression finds.", {
    plugin: true,
    args: [parameter("expression", "string")],
    rule: "jsonPath",
    state: { symbol: "createQuery", when: "literal" },
  }),
  method("json-schema.ts", "json_schema", "The value itself, where it fits a JSON Schema.", {
    args: [parameter("schema", "string")],
    result: sameAsTarget,
    rule: "jsonSchema",
    state: { symbol: "createSchema", when: "literal" },
  }),
  method("changes.ts", "diff", "The changes that lead to another value.", {
    plugin: true,
    args: [parameter("other", "any")],
    result: changes,
  }),
  method("changes.ts", "patch", "The value with a list of changes made.", {
    plugin: true,
    args: [parameter("changelog", "array")],
  }),
];
