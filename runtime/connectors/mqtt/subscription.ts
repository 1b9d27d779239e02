import { ErrorWithSubackPacket, type IConnackPacket, type MqttClient } from "mqtt";
import type { ComponentContext } from "../../component/component.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { mqttFailure, reasonText } from "./failures.ts";
import type { Quality } from "./grammar.ts";

const pauses = { first: 500, longest: 30_000 };

/** What is subscribed to. */
export interface SubscriptionOptions {
  readonly topics: readonly string[];
  readonly qos: Quality;
  /** Aborted when nothing more is to be read. */
  readonly closing: AbortSignal;
}

/**
 * Subscribes now, and again whenever the broker comes back without the session. Rejects with a `GatewayError` when
 * the broker refuses now; a later refusal is reported to operators, and the subscription is tried again until it is granted.
 */
export async function keepSubscribed(
  client: MqttClient,
  options: SubscriptionOptions,
  context: ComponentContext,
): Promise<void> {
  await subscribeOnce(client, options, context);
  let endRefusal: EndCondition | undefined;
  const refused = (reason: string) => {
    endRefusal ??= context.beginOutage?.(reason) ?? (() => undefined);
  };
  client.on("connect", (connack: IConnackPacket) => {
    // A session that began while the broker refused has no subscription, though it is there.
    if (connack.sessionPresent && endRefusal === undefined) return;
    void subscribeAgain(client, options, context, refused).then((isGranted) => {
      if (!isGranted) return;
      endRefusal?.();
      endRefusal = undefined;
    });
  });
}

/** Subscribes now; rejects with a `GatewayError` when the broker refuses. */
export async function subscribeOnce(
  client: MqttClient,
  { topics, qos }: Omit<SubscriptionOptions, "closing">,
  { log }: ComponentContext,
): Promise<void> {
  try {
    const granted = await client.subscribeAsync([...topics], { qos });
    const weaker = granted.filter((grant) => grant.qos < qos).map(({ topic }) => topic);
    if (weaker.length > 0)
      log.warn("MQTT grants a lower quality of service than asked for", { topics: weaker });
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw mqttFailure(error, "The MQTT broker did not confirm the subscription");
    const message = `The MQTT broker refused the subscription: ${reasonText(refusal)}`;
    throw new GatewayError(502, message, { cause: error });
  }
}

/** The broker's reason not to grant one of the topics. */
function refusalIn(error: unknown): number | undefined {
  if (!(error instanceof ErrorWithSubackPacket)) return undefined;
  // There is none where the connection was lost first, whatever the type of the client says.
  const packet: ErrorWithSubackPacket["packet"] | undefined = error.packet;
  return packet?.granted.map(Number).find((code) => code >= 128);
}

/** Whether it was granted in the end; not when its connection is lost before: the next one begins anew. */
async function subscribeAgain(
  client: MqttClient,
  options: SubscriptionOptions,
  context: ComponentContext,
  refused: (reason: string) => void,
): Promise<boolean> {
  const { stream } = client;
  const isOver = () => options.closing.aborted || !client.connected || client.stream !== stream;
  const backoff = createBackoff(pauses);
  while (!isOver()) {
    try {
      await subscribeOnce(client, options, context);
      return true;
    } catch (error) {
      if (isOver()) return false;
      const { message } = toGatewayError(error, 502, "The subscription to MQTT failed");
      refused(message);
      context.log.warn("the MQTT subscription cannot be made, trying again", { reason: message });
      await pause(backoff.next(), options.closing);
    }
  }
  return false;
}
