import { type IPublishPacket, MqttClient, type Packet } from "mqtt";

/** A message to acknowledge: one that came with quality of service 1 or 2. */
interface Entry {
  readonly messageId: number;
  readonly command: "puback" | "pubrec";
  confirmed: boolean;
}

/**
 * Takes the acknowledging of received messages out of the client's hands. The client would acknowledge at
 * once, or, asked to wait, read no further message meanwhile; here reading goes on, and each message is
 * acknowledged when it is confirmed, in the order received, as the protocol demands.
 *
 * Quality of service 2 is confirmed at its first step: from there on the broker holds the message no more.
 */
export class Acknowledgements {
  readonly #send: (entry: Entry) => void;
  /** Those of the present connection; identifiers mean nothing on another one. */
  #entries: Entry[] = [];

  /** `readOn` is given what lets the client go on reading after each of these messages. */
  constructor(client: MqttClient, readOn: (proceed: () => void) => void) {
    const sendPacket = takeOverSending(client, (packet, proceed) => {
      const isOurs = packet.cmd === "puback" || packet.cmd === "pubrec";
      // A word after the farewell breaks the connection off, and with it what the broker has not read of ours yet.
      const isLate = packet.cmd === "pubcomp" && client.disconnecting;
      if (isOurs || isLate) readOn(proceed);
      return isOurs || isLate;
    });
    this.#send = ({ command, messageId }) => sendPacket({ cmd: command, messageId, reasonCode: 0 });
    client.on("close", () => {
      this.#entries = [];
    });
  }

  /** Notes a message and gives what to call once it is confirmed. */
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

/** Has a client acknowledge no message it receives: the broker sends them again to the next connection of the session. */
export function leaveUnacknowledged(client: MqttClient): void {
  new Acknowledgements(client, (proceed) => proceed());
}

type SendPacket = (packet: Packet, callback?: () => void, ...rest: unknown[]) => void;

/**
 * The release whose acknowledgements all go through the method that is replaced. Another one could acknowledge messages
 * before they are delivered; the linker refuses it (`compiler/link/patches/mqtt.ts`), and a gateway that is not linked here.
 */
const provedVersion = "5.16.0";

/**
 * From now on the client does not send what is taken out: that counts as sent once the function given along is called.
 * Gives back what sends a packet. All of the client's packets go through this one method, and it has no public way to hold
 * one back.
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
