import { type IPublishPacket, MqttClient, type Packet } from "mqtt";
import { Fifo } from "../../concurrency/fifo.ts";
import { afterwards } from "../../concurrency/rounds.ts";

/** A message of quality of service 1 or 2 that has to be acknowledged. */
interface Entry {
  readonly messageId: number;
  /** The first byte of the packet that acknowledges it: PUBACK or PUBREC. */
  readonly type: number;
  confirmed: boolean;
}

/** Bytes of a packet that acknowledges successfully, in MQTT 3.1.1 and 5: type, remaining length, identifier. */
const packetSize = 4;

/**
 * Acknowledges received messages instead of the client. The client would acknowledge immediately, or, if it is made
 * to wait, read no further message meanwhile. Here reading continues, and each message is acknowledged once it is
 * confirmed, in the order of arrival, as the protocol requires.
 *
 * Messages of quality of service 2 are confirmed with the first step of their handshake, after which the broker no
 * longer holds them.
 */
export class Acknowledgements {
  readonly #client: MqttClient;
  /** Messages that were confirmed together are acknowledged by one write; the client would make three for each. */
  readonly #announce = afterwards(() => this.#acknowledge());
  /** The messages of the current connection. Identifiers have no meaning on another one. */
  #entries = new Fifo<Entry>();
  /** Whether a packet of a handshake was sent after the last ping of `whenRead`. */
  #isUnread = false;
  /** The pings of the current connection: all of them, those with a response, and the one that `whenRead` waits for. */
  readonly #pings = { sent: 0, answered: 0, awaited: 0, onResponse: () => {} };

  /** `readOn` is called after each of these messages with a function that lets the client continue reading. */
  constructor(client: MqttClient, readOn: (proceed: () => void) => void) {
    this.#client = client;
    takeOverSending(client, (packet, proceed) => {
      const isOurs = packet.cmd === "puback" || packet.cmd === "pubrec";
      // A packet after DISCONNECT would break the connection, and lose our packets that the broker has not read yet.
      const isLate = packet.cmd === "pubcomp" && client.disconnecting;
      if (isOurs || isLate) readOn(proceed);
      else if (packet.cmd === "pubcomp") this.#isUnread = true;
      else if (packet.cmd === "pingreq") this.#pings.sent += 1;
      return isOurs || isLate;
    });
    client.on("packetreceive", ({ cmd }) => {
      if (cmd !== "pingresp") return;
      this.#pings.answered += 1;
      if (this.#pings.answered === this.#pings.awaited) this.#pings.onResponse();
    });
    client.on("close", () => {
      this.#entries = new Fifo();
      this.#isUnread = false;
      this.#pings.onResponse();
      Object.assign(this.#pings, { sent: 0, answered: 0, awaited: 0 });
    });
  }

  /**
   * Resolves once the broker has read all acknowledgements, or the connection is lost. A broker that writes to a closed
   * connection drops it, with everything that it has not read, and sends those messages again. It responds to a ping
   * once it has read what was sent before. With quality of service 2, it releases messages before that response, and
   * has to read that they are complete before it may send further ones.
   */
  async whenRead(): Promise<void> {
    while (this.#isUnread && this.#client.connected) {
      this.#isUnread = false;
      this.#client.sendPing();
      this.#pings.awaited = this.#pings.sent;
      await new Promise<void>((resolve) => {
        this.#pings.onResponse = resolve;
      });
    }
  }

  /** Records a message and returns the function to call once it is confirmed. */
  expect({ qos, messageId = 0 }: IPublishPacket): () => void {
    if (qos === 0) return () => undefined;
    const entry: Entry = { messageId, type: qos === 1 ? 0x40 : 0x50, confirmed: false };
    const entries = this.#entries;
    entries.push(entry);
    return () => {
      entry.confirmed = true;
      if (entries === this.#entries) this.#announce();
    };
  }

  #acknowledge(): void {
    const entries = this.#entries;
    let count = 0;
    while (entries.at(count)?.confirmed === true) count += 1;
    if (count === 0) return;
    const packets = Buffer.allocUnsafe(count * packetSize);
    for (let at = 0; at < packets.length; at += packetSize) {
      const { type = 0, messageId = 0 } = entries.shift() ?? {};
      packets.writeUInt16BE((type << 8) | (packetSize - 2), at);
      packets.writeUInt16BE(messageId, at + 2);
    }
    this.#client.stream.write(packets);
    this.#isUnread = true;
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
 * once `sent` is called. All packets of the client go through this one method, and there is no public way to hold one
 * back.
 */
function takeOverSending(client: MqttClient, takeOut: (packet: Packet, sent: () => void) => boolean): void {
  const original: unknown = Reflect.get(client, "_sendPacket");
  if (MqttClient.VERSION !== provedVersion || typeof original !== "function") {
    throw new TypeError(`mqtt ${MqttClient.VERSION} is not ${provedVersion}, whose acknowledging is proved`);
  }
  const send: SendPacket = (...parameters) => original.apply(client, parameters);
  const gate: SendPacket = (packet, callback, ...rest) => {
    if (!takeOut(packet, () => callback?.())) send(packet, callback, ...rest);
  };
  Reflect.set(client, "_sendPacket", gate);
}
