import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ComponentContext, Output, Processor } from "../../runtime/component/component.ts";
import { runProcessors } from "../../runtime/component/pipeline.ts";
import { blockageOf, sourceFrom } from "../../runtime/conditions/blockage.ts";
import { amqp09Output } from "../../runtime/connectors/amqp-0-9/output.ts";
import { amqp1Output } from "../../runtime/connectors/amqp-1/output.ts";
import { dropOnOutput } from "../../runtime/connectors/drop-on/drop-on.ts";
import { fallbackOutput } from "../../runtime/connectors/fallback/output.ts";
import { mqttOutput } from "../../runtime/connectors/mqtt/output.ts";
import { natsOutput } from "../../runtime/connectors/nats/output.ts";
import { retryOutput } from "../../runtime/connectors/retry/output.ts";
import { websocketOutput } from "../../runtime/connectors/websocket/output.ts";
import { GatewayError, MappingError } from "../../runtime/errors.ts";
import { describeFailure, failureSentence, startReason } from "../../runtime/failures/description.ts";
import { FailureLog } from "../../runtime/failures/failure-log.ts";
import { placed, placeOf, startAt } from "../../runtime/failures/place.ts";
import { networkFault, noteServer, unreachableText } from "../../runtime/failures/unreachable.ts";
import { errorAnswer } from "../../runtime/http/answer.ts";
import { textArgument } from "../../runtime/mapping/arguments.ts";
import { mapEach } from "../../runtime/mapping/arrays.ts";
import { float64, int64 } from "../../runtime/mapping/casts.ts";
import { failedAssignment } from "../../runtime/mapping/failures.ts";
import { parseJsonValue } from "../../runtime/mapping/json-text.ts";
import { number } from "../../runtime/mapping/numbers.ts";
import { multiply } from "../../runtime/mapping/operators.ts";
import { documentOf } from "../../runtime/mapping/run.ts";
import { Message } from "../../runtime/message/message.ts";
import { boundsCheck } from "../../runtime/processors/batch-parts.ts";
import { mapping } from "../../runtime/processors/mapping.ts";
import { tryInOrder } from "../../runtime/processors/try.ts";
import { whileHolds } from "../../runtime/processors/while.ts";
import { failureSamples } from "../../runtime/stream/failure-samples.ts";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";
import { batchOf, componentContext, type LogLine, recordingLogger } from "./connectors/contexts.ts";

const test = suite("failures");

const failing = () =>
  mapping(() => {
    throw new MappingError('quotes "the message"');
  });
const passing = () => mapping((batch, index) => batch[index]);

test("a failure is attributed to the innermost component it came from", async () => {
  const context = componentContext();
  const inner = placed(failing(), "a.yaml:7", "enrich");
  const outer = placed(
    { process: async (batch: ReturnType<typeof batchOf>) => runProcessors([inner], [batch], context) },
    "a.yaml:5",
    "pipeline.processors[1].branch",
  );
  const first = placed(passing(), "a.yaml:3", "first");
  const last = placed(passing(), "a.yaml:9", "last");
  const batches = await runProcessors([first, outer, last], [batchOf("a")], context);
  const failure = batches[0]?.[0]?.failure;
  assert.instance(failure, MappingError);
  const description = describeFailure(failure as MappingError); // the previous line checks it
  assert.equal(description, { reason: "mapping_failed", component: "enrich", at: "a.yaml:7" });
  assert.is(failureSentence(description), "mapping_failed, in enrich (a.yaml:7)");
});

test("lines of a processor name it, however it is run, and count under one limit", async () => {
  const context = componentContext();
  const talking = (): Processor => ({
    process(batch, { log }) {
      log.info("seen");
      return [batch];
    },
  });
  const [alone, inner, sampled] = ["alone", "inner", "sampled"].map((name, index) =>
    placed(talking(), `a.yaml:${index}`, name),
  ) as [Processor, Processor, Processor]; // as many as names
  const outer = placed(tryInOrder([inner]), "a.yaml:9", "outer");
  await runProcessors([alone, outer, failureSamples({})(sampled)], [batchOf("a")], context);
  const places = context.lines.map(({ fields: { component, at } }) => `${component} ${at}`);
  assert.equal(places, ["alone a.yaml:0", "inner a.yaml:1", "sampled a.yaml:2"]);
  const bounds = placed(boundsCheck({ max_part_size: 1 }), "a.yaml:3", "bounds");
  const limited = componentContext();
  for (let batch = 0; batch < 3; batch += 1) await runProcessors([bounds], [batchOf("long")], limited);
  assert.equal(
    limited.lines.map(({ fields: { component, at } }) => [component, at]),
    [["bounds", "a.yaml:3"]],
  );
});

test("the first failure of a kind is logged without content, and later ones as a count", () => {
  const lines: LogLine[] = [];
  const reasons: string[] = [];
  const stopping = new AbortController();
  const log = new FailureLog(recordingLogger(lines), (reason) => reasons.push(reason), stopping.signal);
  const sourceOf = sourceFrom({ topic: "mqtt_topic", partition: "none" });
  const batch = [Message.fromText("secret", new Map([["mqtt_topic", "rides/7"]]))];
  const refuse = (failure: GatewayError) => log.refused(blockageOf(batch, failure, sourceOf), true);
  refuse(new MappingError("secret"));
  refuse(new GatewayError(502, "Kafka did not acknowledge the message"));
  assert.equal(
    lines.map(({ level, message, fields }) => [level, message, fields]),
    [
      [
        "warn",
        "batch not delivered",
        {
          reason: "mapping_failed",
          status: 422,
          source: { topic: "rides/7" },
          messages: 1,
          attempts: 1,
          willRepeat: true,
        },
      ],
      [
        "warn",
        "batch not delivered",
        {
          reason: "delivery_failed",
          detail: "Kafka did not acknowledge the message",
          status: 502,
          source: { topic: "rides/7" },
          messages: 1,
          attempts: 1,
          willRepeat: true,
        },
      ],
    ],
  );
  for (let count = 0; count < 100; count++) refuse(new MappingError("secret"));
  refuse(new GatewayError(502, "Kafka is away"));
  assert.is(lines.length, 3, "another reason is another kind");
  assert.is(reasons.length, 103);
  log.refused(blockageOf(batch, new GatewayError(422, "secret")), false);
  assert.is(reasons.at(-1), "unprocessable", "what is refused to its caller is a failure, too");
  lines.pop();
  stopping.abort();
  assert.equal(
    lines.slice(3).map(({ level, message, fields }) => [level, message, fields]),
    [
      [
        "warn",
        "more batches not delivered",
        {
          reason: "mapping_failed",
          status: 422,
          source: { topic: "rides/7" },
          willRepeat: true,
          batches: 100,
          messages: 100,
        },
      ],
    ],
  );
  assert.not.match(JSON.stringify(lines), "secret");
});

test("every failure is logged or counted, with very many kinds and after the stream stopped, too", async () => {
  const lines: LogLine[] = [];
  const stopping = new AbortController();
  const log = new FailureLog(recordingLogger(lines), () => undefined, stopping.signal, 1);
  const counted = () =>
    lines.reduce((sum, { fields }) => sum + (typeof fields.batches === "number" ? fields.batches : 1), 0);
  for (let count = 0; count < 1_000; count += 1)
    log.refused(blockageOf(batchOf("a"), new GatewayError(502, `reason ${count % 250}`)), true);
  await until(() => counted() === 1_000);
  stopping.abort();
  for (let count = 0; count < 10; count += 1)
    log.refused(blockageOf(batchOf("a"), new GatewayError(502, "at the end")), true);
  await until(() => counted() === 1_010);
});

const secret = new GatewayError(422, "no place for secret", { reason: "rejected", retryable: false });
const unavailable = new GatewayError(503, "The server is away");
const refusing = (failure: GatewayError): Output => ({
  start: async () => undefined,
  write: () => Promise.reject(failure),
  close: async () => undefined,
});

/** Components that log failures of the messages which they pass on, with the number of failures and of messages. */
const complaining: Readonly<Record<string, (context: ComponentContext, text: string) => Promise<unknown>>> = {
  fallback: (context, text) =>
    writeOnce(fallbackOutput([refusing(secret), refusing(unavailable)]), context, text),
  drop_on: (context, text) =>
    writeOnce(dropOnOutput({ output: refusing(secret), error: true }), context, text),
  retry: (context, text) =>
    writeOnce(
      retryOutput({
        output: refusing(unavailable),
        max_retries: 1,
        backoff: { initial_interval: 1, max_interval: 1, max_elapsed_time: 0 },
      }),
      context,
      text,
    ),
  "a check": async (context, text) => {
    const failingCheck = () => {
      throw new MappingError(`quotes ${text}`);
    };
    return whileHolds({ check: failingCheck, processors: [] }).process(batchOf(text), context);
  },
  bounds_check: async (context, text) => boundsCheck({ max_part_size: 1 }).process(batchOf(text), context),
};

async function writeOnce(output: Output, context: ComponentContext, text: string): Promise<unknown> {
  await output.start(context);
  return output.write(batchOf(text)).catch(() => undefined);
}

for (const [name, fail] of Object.entries(complaining)) {
  test(`${name}: failures of messages are logged without their content, and many of them in few lines`, async () => {
    const stopping = new AbortController();
    const lines: LogLine[] = [];
    const context = { log: recordingLogger(lines), signal: stopping.signal };
    for (let count = 0; count < 50; count += 1) await fail(context, `secret ${count}`);
    const warnings = () => lines.filter(({ level }) => level === "warn");
    assert.is(warnings().length, 1);
    stopping.abort();
    assert.equal(
      warnings().map(({ fields }) => fields.batches),
      [undefined, 49],
    );
    assert.not.match(JSON.stringify(warnings()), "secret");
  });
}

test("a failed start has the location of the innermost component", async () => {
  const inner = placed(
    { ...refusing(unavailable), start: () => Promise.reject(unavailable) },
    "a.yaml:7",
    "inner",
  );
  const outer = placed(retryOutput({ output: inner }), "a.yaml:5", "outer");
  const failure = await startAt(outer, componentContext()).catch((error: unknown) => error);
  assert.equal(placeOf(failure as GatewayError), { component: "inner", at: "a.yaml:7" }); // what `start` rejects with
});

test("a stream with as many reasons for failure as messages logs and keeps few of them", () => {
  const lines: LogLine[] = [];
  const stopping = new AbortController();
  const log = new FailureLog(recordingLogger(lines), () => undefined, stopping.signal);
  for (let count = 0; count < 1_000; count += 1)
    log.refused(blockageOf(batchOf("a"), new GatewayError(502, `reason ${count}`)), true);
  stopping.abort();
  assert.is(lines.length, 102);
  assert.is(lines.at(-1)?.fields.batches, 899);
});

test("callers get plain messages, mappings those of the reference engine", () => {
  const reported = (work: () => unknown): readonly string[] => {
    try {
      work();
    } catch (error) {
      const failure = failedAssignment(2, error) as MappingError; // what mappings throw
      return [failure.message, JSON.parse(errorAnswer(failure).body).error];
    }
    throw new Error("it should have failed");
  };
  assert.equal(
    reported(() => int64("abc", "")),
    [
      'failed assignment (line 2): strconv.ParseInt: parsing "abc": invalid syntax',
      'failed assignment (line 2): "abc" is not an integer',
    ],
  );
  assert.equal(
    reported(() => float64("1e999", "")),
    [
      'failed assignment (line 2): strconv.ParseFloat: parsing "1e999": value out of range',
      'failed assignment (line 2): "1e999" is out of range',
    ],
  );
});

test("callers never get texts of the reference's parsers, for any message", () => {
  const texts = [
    "",
    "{",
    "[1",
    "hello",
    '{"a":1}x',
    '{"a":1}{"a":2}',
    '{"a" 1}',
    '{"a":1,}',
    '"\\x"',
    '"\\u00zz"',
    "[01]",
    "[1e]",
    "-",
  ];
  const more = ["[1.]", "tru", "nulL", '"\n"', "{1}", "[,]", '{"strconv.ParseFloat: parsing \\"a":'];
  const read = [...texts, ...more].flatMap((text) => {
    const message = Message.fromBytes(new TextEncoder().encode(text));
    try {
      documentOf([message], 0, "this.a");
    } catch (error) {
      const { message: reference, detail } = failedAssignment(1, error) as MappingError;
      assert.match(reference, "unable to reference message as structured (with 'this.a')");
      assert.is(detail, "line 1 of the mapping: `this.a` needs JSON, and the message is not JSON");
      return [JSON.parse(errorAnswer(failedAssignment(1, error) as MappingError).body).error as string];
    }
    throw new Error(`JSON: ${text}`);
  });
  assert.equal(
    read.map((text) =>
      text.replace("failed assignment (line 1): `this.a` needs a message that is JSON: ", ""),
    ),
    [
      "message is empty",
      "the text ends too early",
      "the text ends too early",
      "unexpected character 'h' where a value is expected",
      "unexpected character 'x' where a value is expected",
      "unexpected text after the value",
      "unexpected character '1' after a field name, where `:` is expected",
      "unexpected character '}' where a field name is expected",
      "unexpected character 'x' in a text after `\\`",
      "unexpected character 'z' in a text after `\\u`",
      "unexpected character '1' after an element, where `,` or `]` has to follow",
      "unexpected character ']' in the exponent of a number",
      "the text ends too early",
      "unexpected character ']' after the decimal point of a number",
      "the text ends too early",
      "unexpected character 'L' in `null`, where `l` has to follow",
      "unexpected character '\\n' in a string, where it must be escaped",
      "unexpected character '1' where a field name is expected",
      "unexpected character ',' where a value is expected",
      "the text ends too early",
    ],
  );
});

test("logs name mismatched types, but no value or key of the message", () => {
  const described = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return describeFailure(failedAssignment(3, error) as MappingError);
    }
    throw new Error("it should have failed");
  };
  const numbers = () => multiply(null, 3, "field `this.quantity`", "");
  assert.equal(described(numbers), {
    reason: "mapping_failed",
    detail: "line 3 of the mapping: cannot multiply types null (from field `this.quantity`) and number",
  });
  for (const work of [
    () => number("secret", "field `this.price`"),
    () => textArgument("method 'repeat'", "count", 5),
    () => int64({ secret: 1 }, ""),
    () => mapEach({ secret: null }, "field `this`", () => multiply(null, 2, "", "")),
    () => parseJsonValue("secret", ""),
    () => int64("secret", ""),
  ]) {
    const { detail = "" } = described(work);
    assert.match(detail, /^line 3 of the mapping/);
    assert.not.match(detail, "secret");
  }
});

test("network errors name the address and nothing more", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED", broker: "10.0.0.4:9092" });
  const fault = networkFault(
    new GatewayError(502, "no", { cause: new Error("retries", { cause: refused }) }),
  );
  assert.is(
    fault && unreachableText("Kafka: broker", fault),
    "Kafka: broker `10.0.0.4:9092` unreachable (connection refused)",
  );
  const system = Object.assign(new Error("connect"), { code: "ETIMEDOUT", address: "::1", port: 1883 });
  const several = networkFault(new AggregateError([system]));
  assert.equal(several, { address: "[::1]:1883", words: "timed out" });
  assert.is(networkFault(new Error("mqtt://user:secret@host")), undefined);
  const ofTls = [
    ["CERT_HAS_EXPIRED", "its certificate has expired"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate is not trusted"],
    ["ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED", "the client certificate has expired"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "it requires a client certificate"],
    ["ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE", "it rejects the client certificate"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "it does not speak TLS on this port"],
    ["ERR_SSL_NO_CIPHERS_AVAILABLE", undefined],
    ["toString", undefined],
  ] as const;
  for (const [code, words] of ofTls) {
    assert.is(networkFault(Object.assign(new Error("tls"), { code }))?.words, words);
  }
  // What `/streams` and the pages show about a stream that does not start, whatever its connector reports.
  const unreached = new GatewayError(502, "RabbitMQ cannot be reached (ETIMEDOUT)", { cause: system });
  assert.is(startReason(unreached), "RabbitMQ `[::1]:1883` unreachable (timed out)");
  const unnamed = new GatewayError(502, "NATS cannot be reached (connection refused)", { cause: refused });
  assert.is(startReason(unnamed), "NATS `10.0.0.4:9092` unreachable (connection refused)");
  const login = new GatewayError(502, "NATS cannot be reached (authorization violation)");
  assert.is(startReason(login), "NATS cannot be reached (authorization violation)");
  assert.is(
    startReason(new GatewayError(502, "Kafka: broker unreachable (timed out)", { cause: system })),
    "Kafka: broker unreachable (timed out)",
  );
  assert.is(startReason(new Error("mqtt://user:secret@host")), "Internal error");
});

test("connection errors of clients name the server and the reason in plain words", () => {
  const said = [
    ["connect ETIMEDOUT", "timed out"],
    ["Socket closed abruptly during opening handshake", "it closes the connection immediately"],
    ["unexpected response from server", "it speaks another protocol"],
    ["Frame size 1345270062 exceeds maxFrameSize 67108864", "it speaks another protocol"],
  ] as const;
  for (const [text, words] of said) {
    const cause = new Error(text);
    noteServer(cause, { host: "broker", port: "5672" });
    const failure = new GatewayError(502, "RabbitMQ cannot be reached", { cause });
    assert.is(startReason(failure), `RabbitMQ \`broker:5672\` unreachable (${words})`);
    // The same text has another meaning if it is not the error of a connection.
    const other = new GatewayError(502, "RabbitMQ refused a channel", { cause: new Error(text) });
    assert.is(networkFault(other), undefined);
  }
  const tls = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
  noteServer(tls, { host: "[::1]", port: 8883 });
  assert.is(
    startReason(
      new GatewayError(502, "The MQTT broker cannot be reached (CERT_HAS_EXPIRED)", { cause: tls }),
    ),
    "The MQTT broker `[::1]:8883` unreachable (its certificate has expired)",
  );
  const wrong = Object.assign(new Error("write EPROTO 0A00010B:SSL routines::wrong version number"), {
    code: "EPROTO",
  });
  noteServer(wrong, undefined);
  assert.is(networkFault(wrong)?.words, "it does not speak TLS on this port");
  // The message of the system is not overwritten.
  const refused = Object.assign(new Error("connect"), {
    code: "ECONNREFUSED",
    address: "10.0.0.4",
    port: 4222,
  });
  const named = new Error("no", { cause: refused });
  noteServer(named, { host: "elsewhere", port: 1 });
  assert.is(networkFault(named)?.address, "10.0.0.4:4222");
});

test("an unreachable server is logged once, with its address", async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const outputs = {
    RabbitMQ: amqp09Output({ urls: [`amqp://${server}`], exchange: "orders" }),
    "The AMQP broker": amqp1Output({ urls: [`amqp://${server}`], target_address: "orders" }),
    "The MQTT broker": mqttOutput({ urls: [`tcp://${server}`], topic: "orders" }),
    NATS: natsOutput({ urls: [`nats://${server}`], subject: "orders" }),
    "The WebSocket server": websocketOutput({ url: `ws://${server}` }),
  };
  for (const [name, output] of Object.entries(outputs)) {
    const failure: unknown = await output.start(componentContext()).catch((error: unknown) => error);
    assert.is(startReason(failure), `${name} \`${server}\` unreachable (connection refused)`);
    // Callers do not learn the address of the server.
    assert.not.match((failure as GatewayError).answer, server);
    await output.close();
  }
});

test.run();
