// Parsers of the runtime as work on outside text, except those of mappings.

import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { parseTraceparent } from "../../../runtime/analytics/opentelemetry/trace-context.ts";
import { EventStream } from "../../../runtime/connectors/http-client/events.ts";
import { joinMessages } from "../../../runtime/connectors/http-server/content-types.ts";
import { framedEvent, joinFramed } from "../../../runtime/connectors/http-server/held-open-client.ts";
import { parseByteSize } from "../../../runtime/connectors/kafka/franz/input.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { readCookie } from "../../../runtime/http/cookies.ts";
import { apiCors } from "../../../runtime/http/cors.ts";
import { trustedProxies } from "../../../runtime/http/listener/trusted-proxies.ts";
import { parsePath } from "../../../runtime/http/request-path.ts";
import { encodingsOf } from "../../../runtime/message/content-encoding.ts";
import { parseJsonText, printJson } from "../../../runtime/message/json.ts";
import { readLines } from "../../../runtime/message/lines.ts";
import { boundaryOf, parseMultipart } from "../../../runtime/message/multipart.ts";
import { isArray } from "../../../runtime/message/value.ts";
import { isAddress } from "../../../runtime/portal/developers/addresses.ts";
import { chooseLanguage, configureLanguages } from "../../../runtime/portal/languages/languages.ts";
import { splitDocuments } from "../../../runtime/processors/archives/json.ts";
import { readTar } from "../../../runtime/processors/archives/tar.ts";
import { createRoom } from "../../../runtime/processors/archives/unpacking.ts";
import { readZip } from "../../../runtime/processors/archives/zip.ts";
import { AvroSchemaError, readAvroSchema } from "../../../runtime/processors/avro/schema.ts";
import { unarchiveDefaults } from "../../../runtime/processors/generated/unarchive-options.ts";
import { parseSignature } from "../../../runtime/protections/authentication/signatures/check-signature.ts";
import { staticKeys } from "../../../runtime/protections/authentication/tokens/token-keys.ts";
import { createClaimReader } from "../../../runtime/protections/authentication/tokens/token-owner.ts";
import { createTokenVerifier } from "../../../runtime/protections/authentication/tokens/token-verifier.ts";
import { keepTexts } from "../../../runtime/protections/validation/kept-numbers.ts";
import {
  type ParameterRule,
  readParameters,
  sourcesOf,
} from "../../../runtime/protections/validation/parameters.ts";
import { parseForm } from "../../../runtime/protections/validation/request-validation.ts";
import { parseStrictJson } from "../../../runtime/protections/validation/strict-json.ts";
import { hasUniqueItems } from "../../../runtime/protections/validation/unique-items.ts";
import { hintsOf } from "../../../runtime/proxy/answer-head.ts";
import { matches } from "../../../runtime/rest/entity-tags.ts";
import { readRequestVariable } from "../../../runtime/stream/instances/request-variables.ts";
import { compareDecimals, isMultipleOf, plainDecimal } from "../../../runtime/text/decimals.ts";
import { parseDuration } from "../../../runtime/text/duration.ts";
import { splitCommas } from "../../../runtime/text/trim.ts";
import { isUrl } from "../../../runtime/text/url-format.ts";
import { decodeUtf8 } from "../../../runtime/text/utf8.ts";
import { type Input, numbered, pumped, texts } from "./inputs.ts";
import type { Work } from "./measure.ts";

/** A parser: prepares a text and returns the work on it. */
type Parser = (text: string) => () => unknown;

/** The default limits for unpacked messages. */
const defaultRoom = () => createRoom(unarchiveDefaults.max_bytes, unarchiveDefaults.max_messages);
const readOrigin = trustedProxies(["127.0.0.1"]);
const languages = configureLanguages({});
const pages = apiCors({ enabled: true, allowedOrigins: ["https://*a*a*a*b"] });
const verifier = createTokenVerifier(
  { family: "hmac", names: new Set(["HS256"]) },
  staticKeys("s".repeat(32), "hmac"),
);
const readClaims = createClaimReader({ allowedAudiences: ["a"] });
const declared = (["deepObject", "form", "spaceDelimited"] as const).map(
  (style): ParameterRule => ({
    in: "query",
    name: "a",
    style,
    explode: style !== "spaceDelimited",
    shape: style === "deepObject" ? "object" : "list",
    fields: ["b"],
  }),
);

export const parsers: Readonly<Record<string, Parser>> = {
  "JSON, printed again": (text) => () => {
    const parsed = parseJsonText(text);
    return "value" in parsed ? printJson(parsed.value) : parsed;
  },
  "unique items of JSON": (text) => () => {
    const parsed = parseJsonText(text);
    return "value" in parsed && isArray(parsed.value) && hasUniqueItems(parsed.value);
  },
  "JSON documents": (text) => {
    const bytes = Buffer.from(text);
    return () => splitDocuments(bytes);
  },
  UTF8: (text) => {
    const bytes = Buffer.from(text, "latin1");
    return () => decodeUtf8(bytes);
  },
  "path of a request": (text) => () => parsePath(`/${text}`),
  "boundary of a type": (text) => () => boundaryOf(`multipart/mixed${text}`),
  "multipart body": (text) => {
    const body = Buffer.from(text);
    return () => parseMultipart(body, "b");
  },
  "headers of a part": (text) => {
    const body = Buffer.from(`--b\r\ncontent-type: ${text}\r\n\r\na\r\n--b--`);
    return () => parseMultipart(body, "b");
  },
  "schema of Avro": (text) => () => {
    try {
      return readAvroSchema(text);
    } catch (error) {
      if (!(error instanceof AvroSchemaError)) throw error;
      return undefined;
    }
  },
  "form of a body": (text) => () => parseForm(text),
  "JSON of a body": (text) => () => {
    const bytes = Buffer.from(text);
    const read = parseStrictJson(text, bytes, true);
    return "kept" in read && read.kept !== undefined ? keepTexts(read.parsed, bytes, read.kept) : read;
  },
  "list between commas": (text) => () => splitCommas(text),
  "field Accept": (text) => () => joinMessages([], requestWith({ accept: text }), () => "a/b"),
  "field Accept-Language": (text) => () => chooseLanguage(languages, text, undefined),
  "field If-None-Match": (text) => () => matches(text, '"a"'),
  "field Origin": (text) => () => pages?.allows(text),
  "cookie of a session": (text) => () => readCookie(text, "x"),
  "query that is validated": (text) => () => readParameters(declared, sourcesOf(callWith(text), new Map())),
  token: (text) => () => verifier.verify(text),
  "claims of a token": (text) => () => readClaims("", { aud: text.split(","), [text]: text }),
  "events of a server": (text) => {
    const bytes = Buffer.from(text);
    return () => [...new EventStream(Number.MAX_SAFE_INTEGER, "").take(bytes)];
  },
  "field Link": (text) => () => hintsOf(text),
  "field Content-Encoding": (text) => () => encodingsOf(text),
  "field traceparent": (text) => () => parseTraceparent(text),
  "field Signature": (text) => () => parseSignature(text),
  "field Forwarded": (text) => () => readOrigin(requestWith({ forwarded: text })),
  "field X-Forwarded-For": (text) => () => readOrigin(requestWith({ "x-forwarded-for": text })),
  cookie: (text) => () => readRequestVariable("context.cookies_x", sourceWith({ cookie: text })),
  "parameter of a query": (text) => () =>
    new URL("http://a/?x").searchParams.has("y") || new URLSearchParams(text).getAll("y"),
  duration: (text) => () => parseDuration(text),
  "size in bytes": (text) => () => parseByteSize(text),
  "e-mail address": (text) => () => isAddress(text),
  "number of a body": (text) => {
    const digits = text.replace(/[^0-9]/g, "7");
    return () => [compareDecimals(digits, "1"), isMultipleOf(digits, "3"), plainDecimal(digits)];
  },
  URL: (text) => () => isUrl(text),
  "frame of an event": (text) => {
    const bytes = Buffer.from(text);
    return () => joinFramed([framedEvent(bytes)], true);
  },
  tar: (text) => {
    const bytes = Buffer.from(text);
    return () => readTar(bytes, defaultRoom());
  },
  zip: (text) => {
    const bytes = Buffer.from(text);
    return () => readZip(bytes, defaultRoom());
  },
  "lines in one piece": (text) => {
    const bytes = Buffer.from(text);
    return () => countLines([bytes]);
  },
  "lines in many pieces": (text) => {
    const bytes = Buffer.from(text);
    const count = Math.ceil(bytes.length / 32);
    const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(32 * index, 32 * (index + 1)));
    return () => countLines(pieces);
  },
};

async function countLines(chunks: readonly Uint8Array[]): Promise<number> {
  const source = async function* () {
    yield* chunks;
  };
  let count = 0;
  for await (const _ of readLines(source(), { max_buffer_size: Number.MAX_SAFE_INTEGER })) count++;
  return count;
}

function requestWith(headers: Readonly<Record<string, string>>): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: "127.0.0.1" });
  const request = new IncomingMessage(socket);
  request.headers = { host: "a", ...headers };
  request.rawHeaders = Object.entries(headers).flat();
  return request;
}

function callWith(query: string) {
  return { request: requestWith({}), query: `?${query}` };
}

function sourceWith(headers: Readonly<Record<string, string>>) {
  const url = new URL("http://a/");
  return {
    request: requestWith(headers),
    url,
    params: new Map<string, string>(),
    remoteAddress: "127.0.0.1",
  };
}

/** Returns the parser as work on the texts of an input. */
export function workOfParser(name: string, parse: Parser, { name: inputName, make }: Input<string>): Work {
  return {
    name: `${name}, ${inputName}`,
    prepare(size) {
      const run = parse(make(size));
      return async () => {
        try {
          return await run();
        } catch (error) {
          // Invalid and too deeply nested texts are refused, which has to be just as fast.
          const isRefusal = [MappingError, GatewayError, RangeError].some((kind) => error instanceof kind);
          if (!isRefusal) throw error;
          return undefined;
        }
      };
    },
  };
}

const record = '{"type":"record","name":"r","fields":[';
const symbols = '{"type":"enum","name":"e","symbols":[';
const field = (index: number) => `{"name":"f${index}","type":"int"}`;
const fixed = (index: number) => `{"type":"fixed","name":"f${index}","size":1}`;

/** Texts on which a particular parser is more likely to be slow than on random ones. */
export const ownTexts: Readonly<Record<string, readonly Input<string>[]>> = {
  "multipart body": [
    pumped("\r\n--b\r\n\r\n", ["--b", "\r\n--b--"]),
    pumped("\r\n--", ["--b\r\n\r\n", "\r\n--b--"]),
    pumped(" ", ["--b", "\r\n\r\na\r\n--b--"]),
    pumped("\r\na: b", ["--b\r\na: b", "\r\n\r\na\r\n--b--"]),
  ],
  "headers of a part": [pumped(" ", ["", "a"]), pumped(" \t", ["a", "\ncontent-type:"])],
  "schema of Avro": [
    numbered("a field of a record, again", (index) => `${index === 0 ? record : ","}${field(index)}`, "]}"),
    numbered("a type of a union, again", (index) => `${index === 0 ? "[" : ","}${fixed(index)}`, "]"),
    numbered("a symbol, again", (index) => `${index === 0 ? symbols : ","}"s${index}"`, "]}"),
  ],
  "form of a body": [
    ...texts.filter(({ name }) => name === "a key and a value, again"),
    pumped("a&", ["", ""]),
  ],
  "JSON of a body": texts.filter(({ name }) => /member|element/.test(name)),
  "field Accept-Language": [pumped("-b", ["a", ""]), pumped("a-b,", ["", ""])],
  "query that is validated": [
    numbered("a field of an object, again", (index) => `a[k${index}]=1&`),
    pumped("[b]", ["a", "=1"]),
    pumped("a=1&", ["", ""]),
    pumped("a[&", ["", ""]),
  ],
  "events of a server": [pumped("data: a\n", ["", "\n"]), pumped("id: a\n\n", ["", ""])],
  "field Link": [pumped("<", ["", ""]), pumped('"', ["", ""]), pumped("<a>;b=c,", ["", ""])],
  tar: [pumped("\0", ["a", "b"])],
  zip: [pumped("PK\u0005\u0006", ["", ""]), pumped("PK\u0001\u0002", ["", ""])],
};
