import { type IPublishPacket, MqttClient, type Packet } from "mqtt";

/** A message of quality of service 1 or 2 that has to be acknowledged. */
interface Entry {
  readonly messageId: number;
  readonly command: "puback" | "pubrec";
  confirmed: boolean;
}

/**
 * Acknowledges received messages instead of the client. The client would acknowledge immediately, or, if it is made
 * to wait, read no further message meanwhile. Here reading continues, and each message is acknowledged once it is
 * confirmed, in the order of arrival, as the protocol requires.
 *
 * Messages of quality of service 2 are confirmed with the first step of their handshake, after which the broker no
 * longer holds them.
 */
export class Acknowledgements {
  readonly #send: (entry: Entry) => void;
  /** The messages of the current connection. Identifiers have no meaning on another one. */
  #entries: Entry[] = [];

  /** `readOn` is called after each of these messages with a function that lets the client continue reading. */
  constructor(client: MqttClient, readOn: (proceed: () => void) => void) {
    const sendPacket = takeOverSending(client, (packet, proceed) => {
      const isOurs = packet.cmd === "puback" || packet.cmd === "pubrec";
      // A packet after DISCONNECT would break the connection, and lose our packets that the broker has not read yet.
      const isLate = packet.cmd === "pubcomp" && client.disconnecting;
      if (isOurs || isLate) readOn(proceed);
      return isOurs || isLate;
    });
    this.#send = ({ command, messageId }) => sendPacket({ cmd: command, messageId, reasonCode: 0 });
    client.on("close", () => {
      this.#entries = [];
    });
  }

  /** Records a message and returns the function to call once it is confirmed. */
  expect({ qos, messageId = 0 }: IPublishPacket): () => void {
    if (qos === 0) return () => undefined;
    const entry: Entry = { messageId, command: qos === 1 ? "puback" : "pubrec", confirmed: false };
    const entries = this.#entries;
    entries.push(entry);
    return () => {
      entry.confirmed = true;
      if (entries === this.#entries) this.#acknowledge();
    };
  }

  #acknowledge(): void {
    while (this.#entries[0]?.confirmed === true) {
      const entry = this.#entries.shift();
      if (entry !== undefined) this.#send(entry);
    }
  }
}

/** Makes a client acknowledge no message: the broker sends them again on the next connection of the session. */
export function leaveUnacknowledged(client: MqttClient): void {
  new Acknowledgements(client, (proceed) => proceed());
}

type SendPacket = (packet: Packet, callback?: () => void, ...rest: unknown[]) => void;

/**
 * The release for which it is verified that all acknowledgements go through the replaced method. In another release,
 * messages could be acknowledged before they are delivered. The linker refuses other releases
 * (`compiler/link/patches/mqtt.ts`), and here a gateway that is not linked does so.
 */
const provedVersion = "5.16.0";

/**
 * Lets `takeOut` intercept the packets that the client sends. For an intercepted packet, the client considers it sent
 * once `sent` is called. Returns the function that sends a packet. All packets of the client go through this one
 * method, and there is no public way to hold one back.
 */
function takeOverSending(
  client: MqttClient,
  takeOut: (packet: Packet, sent: () => void) => boolean,
): SendPacket {
  const original: unknown = Reflect.get(client, "_sendPacket");
  if (MqttClient.VERSION !== provedVersion || typeof original !== "function") {
    throw new TypeError(`mqtt ${MqttClient.VERSION} is not ${provedVersion}, whose acknowledging is proved`);
  }
  const send: SendPacket = (...parameters) => original.apply(client, parameters);
  const gate: SendPacket = (packet, callback, ...rest) => {
    if (!takeOut(packet, () => callback?.())) send(packet, callback, ...rest);
  };
  Reflect.set(client, "_sendPacket", gate);
  return send;
}
