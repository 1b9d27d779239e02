import type { MqttClient } from "mqtt";
import { type Output, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message.ts";
import { connectMqtt, disconnectMqtt } from "./client.ts";
import { type MqttOutputOptions, mqttOutputDefaults } from "./generated/output-options.ts";
import { Publications } from "./publications.ts";

/**
 * Publishes each message to a topic, in the order of the writes. A write resolves once the broker has
 * acknowledged all its messages (with quality of service 0: once they are sent), and fails after
 * `write_timeout` or when the connection is lost before. Metadata do not travel with a message.
 */
export function mqttOutput(options: MqttOutputOptions): Output {
  const settings = { ...mqttOutputDefaults, ...options };
  let client: MqttClient | undefined;
  let publications: Publications | undefined;

  async function publish(batch: Batch, to: Publications): Promise<void> {
    const written = batch.map((message, index) =>
      to.publish(checkTopic(textOf(settings.topic, batch, index)), message.bytes()),
    );
    const failed = (await Promise.allSettled(written)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  return {
    async start(context) {
      const connection = { ...settings, clean_session: true };
      await connectMqtt(connection, context, (created) => {
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

/** A broker drops the connection, and with it other messages, over a topic that is none. */
function checkTopic(topic: string): string {
  if (topic === "" || /[+#\0]/.test(topic)) {
    throw new GatewayError(502, "The computed MQTT topic is empty or holds a wildcard", { retryable: false });
  }
  return topic;
}
