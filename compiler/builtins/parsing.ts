// Conversions between formats and values. They are implemented in the files of runtime/mapping named here.

import { type Builtin, type Details, method, parameter } from "./builtin.ts";
import { changes, csvRecords, formFields, textsAndFlags, urlParts } from "./results/shapes.ts";
import { always, sameAsTarget } from "./results/target.ts";

const text: Details = { targets: ["string", "bytes"] };

export const parsing: readonly Builtin[] = [
  method(
    "csv.ts",
    "parse_csv",
    "Parses CSV. Each record becomes an object with the fields of the header row as keys, or an array.",
    {
      ...text,
      returns: "array",
      args: [
        parameter("parse_header_row", "bool", true),
        parameter("delimiter", "string", ","),
        parameter("lazy_quotes", "bool", false),
      ],
      result: csvRecords,
    },
  ),
  method("yaml.ts", "parse_yaml", "Parses the first YAML document of a string.", text),
  method("yaml-print.ts", "format_yaml", "Formats the value as YAML.", { returns: "bytes", canFail: false }),
  method(
    "xml.ts",
    "parse_xml",
    "Parses an XML document to an object. Attributes become keys with a leading `-`.",
    {
      ...text,
      returns: "object",
      args: [parameter("cast", "bool", false)],
    },
  ),
  method("xml-print.ts", "format_xml", "Formats the object as XML, indented or on one line.", {
    targets: ["object"],
    returns: "bytes",
    args: [parameter("indent", "string", "    "), parameter("no_indent", "bool", false)],
  }),
  method("msgpack.ts", "parse_msgpack", "Parses MessagePack bytes.", {
    targets: ["string", "bytes", "timestamp"],
  }),
  method("msgpack.ts", "format_msgpack", "Formats the value as MessagePack bytes.", {
    returns: "bytes",
    canFail: false,
  }),
  method("parquet.ts", "parse_parquet", "Parses a Parquet file to an array of its rows.", {
    ...text,
    returns: "array",
    args: [parameter("byte_array_as_string", "bool", false)],
  }),
  method("url.ts", "parse_url", "Parses a URL to an object of its parts.", {
    ...text,
    returns: "object",
    result: always(urlParts),
  }),
  method(
    "url.ts",
    "parse_form_url_encoded",
    "Parses URL-encoded form data to an object. Repeated fields become arrays.",
    {
      targets: ["string", "bytes", "timestamp"],
      returns: "object",
      result: always(formFields),
    },
  ),
  method("logfmt.ts", "parse_logfmt", "Parses a logfmt line to an object of its pairs.", {
    ...text,
    returns: "object",
    result: always(textsAndFlags),
  }),
];

export const documents: readonly Builtin[] = [
  method("nested.ts", "bloblang", "Runs a mapping, given as a string, on the value.", {
    pure: false,
    args: [parameter("mapping", "string")],
    capability: "compiler",
    rule: "mapping",
    state: { symbol: "createNested", when: "always" },
  }),
  method("json-path.ts", "json_path", "The result of a JSONPath expression.", {
    args: [parameter("expression", "string")],
    rule: "jsonPath",
    state: { symbol: "createQuery", when: "literal" },
  }),
  method("json-schema.ts", "json_schema", "The value. Fails if it does not match a JSON Schema.", {
    args: [parameter("schema", "string")],
    result: sameAsTarget,
    rule: "jsonSchema",
    state: { symbol: "createSchema", when: "literal" },
  }),
  method("changes.ts", "diff", "The list of changes from the value to another value.", {
    args: [parameter("other", "any")],
    result: changes,
  }),
  method("changes.ts", "patch", "Applies a list of changes to the value.", {
    args: [parameter("changelog", "any")],
    rule: "evaluated",
  }),
];
