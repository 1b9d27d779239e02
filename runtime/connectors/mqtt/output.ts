import type { MqttClient } from "mqtt";
import type { Delivered, Output } from "../../component/component.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { textOf } from "../../component/text.ts";
import { attempt } from "../../concurrency/promises.ts";
import { GatewayError } from "../../errors.ts";
import { type CheckText, unfitText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { Outgoing } from "./broker-limits.ts";
import { connectMqtt, disconnectMqtt } from "./client.ts";
import { type MqttOutputOptions, mqttOutputDefaults } from "./generated/output-options.ts";
import { qualityOf, topicCheck } from "./grammar.ts";
import { createPropertyMaker, type MakeProperties, propertyNames, requireVersion } from "./properties.ts";
import { Publications } from "./publications.ts";

/**
 * Publishes each message to a topic, in the order of the writes. A write resolves once the broker has
 * acknowledged all its messages (with quality of service 0: once they are sent), and fails when the broker
 * refuses one, takes longer than `write_timeout`, or the connection is lost before.
 */
export function mqttOutput(options: MqttOutputOptions): Output {
  const settings = { ...mqttOutputDefaults, ...options };
  const makers = { checkTopic: topicCheck(settings.topic), makeProperties: createPropertyMaker(settings) };
  let client: MqttClient | undefined;
  let publications: Publications | undefined;

  function publish(batch: Batch, to: Publications): Promise<Delivered> {
    // Nothing of a batch is sent when one of its messages cannot be.
    const outgoing = prepareAll(batch, (message, index) => describe(settings, makers, message, batch, index));
    return joinDelivered(outgoing.map((each) => to.publish(each)));
  }

  return {
    async start(context) {
      requireVersion(settings, propertyNames);
      await connectMqtt({ ...settings, clean_session: true }, context, (created) => {
        client = created;
        publications = new Publications(created, settings);
      });
    },
    write(batch) {
      const to = publications;
      if (to !== undefined) return attempt(() => publish(batch, to));
      return Promise.reject(new GatewayError(503, "The MQTT broker is not connected"));
    },
    async close() {
      if (client === undefined) return;
      await publications?.idle();
      await disconnectMqtt(client);
      client = undefined;
    },
  };
}

type Settings = MqttOutputOptions & Required<Pick<MqttOutputOptions, keyof typeof mqttOutputDefaults>>;

interface Makers {
  readonly checkTopic: CheckText;
  readonly makeProperties: MakeProperties;
}

function describe(
  settings: Settings,
  { checkTopic, makeProperties }: Makers,
  message: Message,
  batch: Batch,
  index: number,
): Outgoing {
  const { topic, qos, retained, retained_interpolated } = settings;
  return {
    topic: checkTopic(textOf(topic, batch, index)),
    payload: message.bytes(),
    qos: qualityOf(qos),
    retain:
      retained_interpolated === undefined ? retained : readTruth(textOf(retained_interpolated, batch, index)),
    properties: makeProperties(batch, index),
  };
}

/** The spellings of the reference engine. */
function readTruth(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw unfitText("retained_interpolated", "`true` or `false`");
}
