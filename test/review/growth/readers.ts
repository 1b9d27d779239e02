// Processors and scanners that read outside text as work, and the reasons why others are left out.

import { compileProto } from "../../../compiler/parse/protobuf/compile-proto.ts";
import type { ComponentContext, Processor } from "../../../runtime/component/component.ts";
import type { Scanner } from "../../../runtime/component/scanner.ts";
import { Message } from "../../../runtime/message/message.ts";
import { avroFromJson, avroToJson } from "../../../runtime/processors/avro/avro.ts";
import { msgpackFromJson, msgpackToJson } from "../../../runtime/processors/formats/msgpack.ts";
import { xml } from "../../../runtime/processors/formats/xml.ts";
import { grok } from "../../../runtime/processors/grok/grok.ts";
import { jmespath } from "../../../runtime/processors/jmespath/jmespath.ts";
import { jq } from "../../../runtime/processors/jq/jq.ts";
import { parquetDecode } from "../../../runtime/processors/parquet/decode.ts";
import { parquetEncode } from "../../../runtime/processors/parquet/encode.ts";
import { parseRfc3164 } from "../../../runtime/processors/parse-log/rfc3164.ts";
import { parseRfc5424 } from "../../../runtime/processors/parse-log/rfc5424.ts";
import { protobufFromJson, protobufToJson } from "../../../runtime/processors/protobuf/protobuf.ts";
import { avroScanner } from "../../../runtime/scanners/avro.ts";
import { chunkerScanner } from "../../../runtime/scanners/chunker.ts";
import { csvScanner } from "../../../runtime/scanners/csv.ts";
import { decompressScanner } from "../../../runtime/scanners/decompress.ts";
import { jsonDocumentsScanner } from "../../../runtime/scanners/json-documents.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { reMatchScanner } from "../../../runtime/scanners/re-match.ts";
import { skipBomScanner } from "../../../runtime/scanners/skip-bom.ts";
import { switchScanner } from "../../../runtime/scanners/switch.ts";
import { tarScanner } from "../../../runtime/scanners/tar.ts";
import { toTheEndScanner } from "../../../runtime/scanners/to-the-end.ts";
import { xmlDocumentsScanner } from "../../../runtime/scanners/xml-documents.ts";
import { recordingLogger } from "../../runtime/connectors/contexts.ts";
import { linkProgram } from "../../runtime/processors/awk/linked.ts";
import { linkTemplate } from "../../runtime/processors/template/linked.ts";
import type { Input } from "./inputs.ts";
import type { Work } from "./measure.ts";

const text = '{"type":"record","name":"r","fields":[{"name":"text","type":"string"}]}';

const proto = Buffer.from(
  compileProto([
    {
      name: "text.proto",
      text: 'syntax = "proto3"; message Text { string text = 1; repeated Text more = 2; }',
    },
  ]),
).toString("base64");

/** Templates whose functions read the whole text. Each that refuses most texts has its own. */
const templates = [
  "{{ adler32sum .text }}{{ b64enc .text | b64dec }}{{ b32enc .text | b32dec }}{{ sha1sum .text }}{{ base .text }}{{ clean .text }}{{ ext .text }}",
  "{{ initials .text }}{{ camelcase .text }}{{ kebabcase .text }}{{ snakecase .text }}{{ swapcase .text }}{{ title .text }}{{ untitle .text }}",
  '{{ nospace .text }}{{ trim .text }}{{ trimAll "a " .text }}{{ wrap 80 .text }}{{ abbrev 100 .text }}{{ nindent 2 .text }}{{ upper .text }}',
  '{{ regexFindAll "(a+)+$" .text -1 }}{{ regexReplaceAll "a*b" .text "c" }}{{ replace "a" "bb" .text }}{{ splitList " " .text | join "," }}',
  '{{ html .text }}{{ js .text }}{{ urlquery .text }}{{ printf "%q %x %v" .text .text .text }}{{ toJson . }}{{ quote .text }}{{ contains .text .text }}',
  ...["atoi", "duration", "fromJson", "int", "float64", "semver", 'toDate "2006-01-02"', "urlParse"].map(
    (call) => `{{ ${call} .text }}`,
  ),
];

async function linked(text: string): Promise<Processor> {
  const found = await linkTemplate({ text });
  if (!("processor" in found)) throw new Error(found.join());
  return found.processor;
}

/** AWK programs that read the whole text, as records or as a variable. */
const programs = [
  ["text", "{ print; print $1, $NF, NF, length($0), $1 + 1; $1 = toupper($2); print }"],
  ["text", 'BEGIN { RS = "" } { print NF, RT }'],
  ["text", 'BEGIN { RS = "a+|b"; FS = "(x|xx)+y" } { print NF }'],
  ["text", 'BEGIN { INPUTMODE = "csv header"; OUTPUTMODE = "csv" } { print $1, $2 }'],
  ["text", 'BEGIN { INPUTMODE = "tsv"; FS = "" } { print NF } { n = split($0, p, ""); print n }'],
  ["json", "{ print text + 0, (text == 1), (text < 2), index(text, text), substr(text, 2), tolower(text) }"],
  [
    "json",
    '{ gsub(/(a+)+$/, "b", text); n = split(text, p, / *, */); print sprintf("%20s|%.3s", text, text), n }',
  ],
  ["json", '{ print create_json_array(text), base64_encode(text), json_get("text"), match(text, /b+$/) }'],
  ["json", "{ print base64_decode(text) }"],
  ["json", "{ print timestamp_unix(text) }"],
  ["json", '{ printf text; print "x" ~ text }'],
] as const;

async function linkedProgram([codec, program]: (typeof programs)[number]): Promise<Processor> {
  const found = await linkProgram({ codec, program });
  if (!("processor" in found)) throw new Error(found.join());
  return found.processor;
}

/** Processors by component name. A message is the text itself, or a document that contains it in `text`. */
const processors: Readonly<Record<string, readonly Processor[]>> = {
  avro: [
    avroToJson({ operator: "to_json", encoding: "binary", schema: text }),
    avroToJson({ operator: "to_json", encoding: "textual", schema: text }),
    avroFromJson({ operator: "from_json", encoding: "binary", schema: text }),
    avroFromJson({ operator: "from_json", encoding: "textual", schema: text }),
  ],
  awk: await Promise.all(programs.map(linkedProgram)),
  grok: [
    grok({ expressions: ["%{COMMONAPACHELOG}", "%{COMBINEDAPACHELOG}", "^%{GREEDYDATA:a} %{NUMBER:b}$"] }),
    grok({ expressions: ["%{A:a}"], pattern_definitions: { A: "(?:%{B}*)*$", B: "(a|aa| )+" } }),
  ],
  jmespath: [jmespath({ query: "text" }), jmespath({ query: "[to_string(@), length(text), reverse(text)]" })],
  jq: [
    jq({ query: ".", raw: true }),
    jq({ query: '.text | test("(a+)+$"), ascii_upcase, explode, @base64, @uri, tojson, length' }),
    jq({ query: '.text | [splits(", *")], gsub("a"; "b"), ltrimstr("a"), (try fromjson catch 1)' }),
    jq({
      query:
        '.text | .[:length / 4] as $a | ($a + "-" + $a) as $near | contains($near), indices($near), . / $near',
    }),
  ],
  msgpack: [msgpackToJson({ operator: "to_json" }), msgpackFromJson({ operator: "from_json" })],
  parquet_decode: [parquetDecode({})],
  parquet_encode: [parquetEncode({ schema: [{ name: "text", type: "UTF8" }] })],
  parse_log: [parseRfc3164({ format: "syslog_rfc3164" }), parseRfc5424({ format: "syslog_rfc5424" })],
  protobuf: [
    protobufToJson({ operator: "to_json", message: "Text", descriptors: proto }),
    protobufFromJson({ operator: "from_json", message: "Text", descriptors: proto, discard_unknown: true }),
  ],
  template: await Promise.all(templates.map(linked)),
  xml: [xml({ operator: "to_json", cast: true })],
};

const scanners: Readonly<Record<string, Scanner>> = {
  avro: avroScanner({}),
  chunker: chunkerScanner({ size: 100 }),
  csv: csvScanner({}),
  decompress: decompressScanner({ algorithm: "gzip" }),
  json_documents: jsonDocumentsScanner(),
  lines: linesScanner({ max_buffer_size: 1_000_000 }),
  re_match: reMatchScanner({ pattern: "(a|aa)+b", max_buffer_size: 1_000_000 }),
  skip_bom: skipBomScanner({}),
  switch: switchScanner({
    cases: [{ re_match_name: "x", scanner: linesScanner({}) }, { scanner: toTheEndScanner() }],
  }),
  tar: tarScanner(),
  to_the_end: toTheEndScanner(),
  xml_documents: xmlDocumentsScanner({ operator: "to_json" }),
};

const steps = "runs other components or a mapping, whose functions are tried by themselves";
const elsewhere = "packs or unpacks, which `packed.ts` tries";
const asks =
  "hands the message to a server or a program; replies are bounded, and tried by the mappings that read them";
const passes = "reads no content";

/** Components that this file does not test, with reasons. */
export const readByNone: Readonly<Record<string, string>> = {
  "processor archive": elsewhere,
  "processor bounds_check": passes,
  "processor branch": steps,
  "processor cache": asks,
  "processor cached": steps,
  "processor catch": steps,
  "processor command": asks,
  "processor compress": elsewhere,
  "processor decompress": elsewhere,
  "processor dedupe": asks,
  "processor for_each": steps,
  "processor group_by": steps,
  "processor group_by_value": steps,
  "processor http": asks,
  "processor insert_part": passes,
  "processor json_schema": "compiled schemas; `parsers.ts` tries what is not linear in itself",
  "processor log": steps,
  "processor mapping": steps,
  "processor metric": steps,
  "processor mutation": steps,
  "processor nats_kv": asks,
  "processor nats_object_store": asks,
  "processor nats_request_reply": asks,
  "processor noop": passes,
  "processor parallel": steps,
  "processor processors": steps,
  "processor rate_limit": passes,
  "processor redis": asks,
  "processor redis_script": asks,
  "processor retry": steps,
  "processor select_parts": passes,
  "processor sleep": passes,
  "processor split": passes,
  "processor schema_registry_decode": "reads formats that other processors read as well",
  "processor schema_registry_encode": "reads formats that other processors read as well",
  "processor sql": asks,
  "processor sql_insert": asks,
  "processor sql_raw": asks,
  "processor sql_select": asks,
  "processor subprocess": asks,
  "processor switch": steps,
  "processor sync_response": passes,
  "processor try": steps,
  "processor unarchive": elsewhere,
  "processor while": steps,
  "processor workflow": steps,
};

/** The names of the tested components: `processor xml`, `scanner tar`. */
export const readerNames: readonly string[] = [
  ...Object.keys(processors).map((name) => `processor ${name}`),
  ...Object.keys(scanners).map((name) => `scanner ${name}`),
];

const context: ComponentContext = { log: recordingLogger(), signal: new AbortController().signal };

/** Returns the works of all components on the texts of an input. */
export function worksOfReaders({ name: inputName, make }: Input<string>): readonly Work[] {
  return [
    ...Object.entries(processors).flatMap(([name, variants]) =>
      variants.flatMap((processor, index) => [
        workOf(`processor ${name} ${index}, ${inputName}`, processor, make),
        workOf(`processor ${name} ${index} of a document, ${inputName}`, processor, (size) =>
          JSON.stringify({ text: make(size) }),
        ),
      ]),
    ),
    ...Object.entries(scanners).map(
      ([name, scanner]): Work => ({
        name: `scanner ${name}, ${inputName}`,
        prepare(size) {
          const bytes = Buffer.from(make(size));
          return () => scanAll(scanner, bytes);
        },
      }),
    ),
  ];
}

function workOf(name: string, processor: Processor, make: (size: number) => string): Work {
  return {
    name,
    prepare(size) {
      const message = Message.fromText(make(size));
      return () => processor.process([message], context);
    },
  };
}

/** Scans in chunks, as files and sockets deliver them; ignores refusals of invalid sources. */
async function scanAll(scanner: Scanner, bytes: Uint8Array): Promise<number> {
  async function* source() {
    for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
  }
  let count = 0;
  try {
    for await (const _ of scanner.scan({ bytes: source(), name: "a" })) count++;
  } catch {
    return -1;
  }
  return count;
}
