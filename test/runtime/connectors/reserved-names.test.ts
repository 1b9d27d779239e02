// Computed subjects, topics and exchanges must not begin with prefixes that a server reserves.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { joinText, type Text } from "../../../runtime/component/text.ts";
import { exchangeCheck } from "../../../runtime/connectors/amqp-0-9/grammar.ts";
import { topicCheck as kafkaTopicCheck } from "../../../runtime/connectors/kafka/grammar.ts";
import { topicCheck as mqttTopicCheck } from "../../../runtime/connectors/mqtt/grammar.ts";
import { subjectCheck } from "../../../runtime/connectors/nats/grammar.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import {
  amqpShort,
  kafkaTopicPart,
  mqttTopicPart,
  natsSubjectPart,
} from "../../../runtime/generated/formats.ts";
import type { CheckText } from "../../../runtime/grammar/computed-text.ts";
import { createEnvironment, EnvironmentError } from "../../../runtime/process/environment.ts";
import type { EnvironmentLimit } from "../../../runtime/process/environment-limits.ts";
import { emitValue } from "../../emit/emitted.ts";

interface Protocol {
  readonly check: (text: Text) => CheckText;
  readonly reserved: readonly string[];
  /** Similar names that are not reserved. */
  readonly others: readonly string[];
}

const protocols: Readonly<Record<string, Protocol>> = {
  nats: {
    check: subjectCheck,
    reserved: ["$JS.API.", "$SYS.", "$KV.", "$O.", "_INBOX."],
    others: ["a.$JS.", "_INBOXES.", "_inbox.", "JS.API."],
  },
  mqtt: { check: mqttTopicCheck, reserved: ["$SYS/", "$queue/", "$"], others: ["/$SYS/", "SYS$/", "share/"] },
  kafka: { check: kafkaTopicCheck, reserved: ["__consumer_", "__"], others: ["_", "a__"] },
  amqp: { check: exchangeCheck, reserved: ["amq.", "amq.to"], others: ["amq", "AMQ.", "a.amq."] },
};

const names = fc.stringMatching(/^[a-z]{1,8}$/);

for (const [name, { check, reserved, others }] of Object.entries(protocols)) {
  test(`${name}: a reserved prefix must be written literally, however the text is split`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...reserved), names, fc.nat(), (beginning, rest, cut) => {
        const text = beginning + rest;
        const judged = (written: string) => check(joinText(written, () => ""))(text);
        assert.is(judged(beginning), text);
        assert.is(check(text)(text), text);
        const refused = (error: unknown) => error instanceof GatewayError && error.status === 422;
        assert.throws(() => check(() => text)(text), refused);
        const written = text.slice(0, cut % beginning.length);
        // Names with the shortest reserved prefixes are reserved, whatever follows.
        if (!reserved.some((each) => each.startsWith(written)) || written === "")
          assert.throws(() => judged(written), refused);
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  test(`${name}: other texts are accepted`, () => {
    for (const other of others) assert.is(check(() => "")(`${other}a`), `${other}a`);
  });
}

test("half of a reserved prefix does not permit a computed other half", () => {
  const halves = [
    [subjectCheck, "_IN", "BOX.a"],
    [kafkaTopicCheck, "_", "_a"],
    [exchangeCheck, "am", "q.topic"],
  ] as const;
  for (const [check, written, computed] of halves)
    assert.throws(() => check(joinText(written, () => computed))(written + computed), /The computed/);
});

/** Returns the generated gateway of a stream with this output. */
async function emitted(output: object, input: object = { http_server: { path: "/" } }): Promise<string> {
  const document = {
    openapi: "3.1.0",
    info: { title: "Names", version: "1.0.0" },
    paths: {},
    "x-gw-streaming": { streams: { names: { input, output } } },
  };
  const set = { streaming: { enabled: true }, apis: ["api.yaml"] };
  return (await emitValue(set, "gateway.yaml", { "api.yaml": document })).gateway;
}

const natsTo = (subject: string) => ({ nats: { urls: ["nats://localhost"], subject } });
const asked = { http_server: { stream_path: "/" } };

test("the emitted code carries the reserved prefixes that a document writes", async () => {
  assert.match(await emitted(natsTo('$KV.carts.${! json("id") }')), 'joinText("$KV.carts.", ');
  assert.not.match(await emitted(natsTo('carts.${! json("id") }')), "joinText");
  const both = await emitted(natsTo('$gw_context.request_data_a${! json("id") }'));
  assert.match(both, /joinText\(\s*"",\s*request\.text\(/);
});

test("request data cannot name reserved subjects", async () => {
  const input = (subject: string) => ({ nats: { urls: ["nats://localhost"], subject } });
  const limits = async (subject: string) => emitted(asked, input(subject));
  assert.match(await limits("$gw_context.request_data_s"), /\bnatsUnreservedSubject\)/);
  assert.match(
    await limits("$gw_context.request_data_s.>"),
    /request\.together\([^)]*\)[^)]*\bnatsUnreservedFilter\b/,
  );
  assert.match(
    await limits("_IN$gw_context.request_data_s.>"),
    /request\.together\([^)]*\)[^)]*\bnatsUnreservedFilter\b/,
  );
  assert.not.match(await limits("$SYS.ACCOUNT.$gw_context.request_data_s.>"), "natsUnreserved");
  const open = { nats: { ...input("$gw_context.request_data_s").nats, allow_wildcards: true } };
  assert.match(await emitted(asked, open), ", natsUnreservedFilter)");
});

test("environment parts of a computed text are validated at start, under the name of their variable", async () => {
  const pieces: readonly (readonly [output: object, limit: EnvironmentLimit<string>, wrong: string])[] = [
    [natsTo('${PIECE}.${! json("id") }'), natsSubjectPart, "orders new"],
    [{ mqtt: { urls: ["tcp://a:1883"], topic: '${PIECE}/${! json("id") }' } }, mqttTopicPart, "orders/#"],
    [{ kafka: { addresses: ["a:9092"], topic: '${PIECE}.${! json("id") }' } }, kafkaTopicPart, "orders new"],
    [{ amqp_0_9: { urls: ["amqp://a"], exchange: '${PIECE}${! json("id") }' } }, amqpShort, "a\n"],
  ];
  for (const [output, limit, wrong] of pieces) {
    const form = Object.entries({ amqpShort, kafkaTopicPart, mqttTopicPart, natsSubjectPart }).find(
      ([, each]) => each === limit,
    )?.[0];
    assert.match(await emitted(output), new RegExp(`env\\.text\\("PIECE", undefined, ${form}\\)`));
    const environment = createEnvironment({ PIECE: wrong }, () => "");
    try {
      environment.collect(() => environment.text("PIECE", undefined, limit));
      assert.unreachable(`${form} takes ${wrong}`);
    } catch (error) {
      assert.equal(error instanceof EnvironmentError && error.problems, [`PIECE is not ${limit.expected}`]);
    }
  }
});

test.run();
