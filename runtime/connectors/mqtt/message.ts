import type { IPublishPacket } from "mqtt";
import { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { payloadOf } from "./arrivals.ts";

/** A message as the pipeline has it; what MQTT 5 says beside the content becomes metadata, `mqtt_*` names win. */
export function messageOf(packet: IPublishPacket): Message {
  const metadata = new Map<string, Value>();
  addProperties(metadata, packet.properties ?? {});
  metadata.set("mqtt_topic", packet.topic);
  metadata.set("mqtt_qos", packet.qos);
  metadata.set("mqtt_retained", packet.retain);
  metadata.set("mqtt_duplicate", packet.dup);
  metadata.set("mqtt_message_id", packet.messageId ?? 0);
  return Message.fromBytes(payloadOf(packet), metadata);
}

/** User properties under their own names, the first of a name where there are several. */
function addProperties(
  metadata: Map<string, Value>,
  properties: NonNullable<IPublishPacket["properties"]>,
): void {
  for (const [name, value] of Object.entries(properties.userProperties ?? {})) {
    metadata.set(name, typeof value === "string" ? value : (value[0] ?? ""));
  }
  const { contentType, responseTopic, correlationData } = properties;
  if (contentType !== undefined) metadata.set("Content-Type", contentType);
  if (responseTopic !== undefined) metadata.set("mqtt_response_topic", responseTopic);
  if (correlationData !== undefined) metadata.set("mqtt_correlation_data", correlationData.toString());
}
