import type { MqttClient } from "mqtt";
import { type Output, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message.ts";
import type { Outgoing } from "./broker-limits.ts";
import { connectMqtt, disconnectMqtt } from "./client.ts";
import { type MqttOutputOptions, mqttOutputDefaults } from "./generated/output-options.ts";
import { createPropertyMaker, type MakeProperties, propertyNames, requireVersion } from "./properties.ts";
import { Publications } from "./publications.ts";
import { qualityOf } from "./quality.ts";

/**
 * Publishes each message to a topic, in the order of the writes. A write resolves once the broker has
 * acknowledged all its messages (with quality of service 0: once they are sent), and fails when the broker
 * refuses one, takes longer than `write_timeout`, or the connection is lost before.
 */
export function mqttOutput(options: MqttOutputOptions): Output {
  const settings = { ...mqttOutputDefaults, ...options };
  const makeProperties = createPropertyMaker(settings);
  let client: MqttClient | undefined;
  let publications: Publications | undefined;

  async function publish(batch: Batch, to: Publications): Promise<void> {
    // Nothing of a batch is sent when one of its messages cannot be.
    const outgoing = batch.map((message, index) => describe(settings, makeProperties, message, batch, index));
    const written = await Promise.allSettled(outgoing.map((each) => to.publish(each)));
    const failed = written.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  return {
    async start(context) {
      requireVersion(settings, propertyNames);
      await connectMqtt({ ...settings, clean_session: true }, context, (created) => {
        client = created;
        publications = new Publications(created, settings);
      });
    },
    async write(batch) {
      if (publications === undefined) throw new GatewayError(503, "The MQTT broker is not connected");
      await publish(batch, publications);
      return {};
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

function describe(
  settings: Settings,
  makeProperties: MakeProperties,
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

/** A broker drops the connection, and with it other messages, over a topic that is none. */
function checkTopic(topic: string): string {
  if (topic === "" || /[+#\0]/.test(topic) || Buffer.byteLength(topic) > 65_535) {
    const message = "The computed MQTT topic is empty, too long or holds a wildcard";
    throw new GatewayError(502, message, { retryable: false });
  }
  return topic;
}

/** The spellings of the reference engine. */
function readTruth(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  const message = "The computed `retained_interpolated` says neither `true` nor `false`";
  throw new GatewayError(502, message, { retryable: false });
}
