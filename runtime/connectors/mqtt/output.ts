import type { IConnackPacket, MqttClient } from "mqtt";
import type { Delivered, Output } from "../../component/component.ts";
import { CountedWrite, type MessageOutcome } from "../../component/outcomes.ts";
import { type Text, textOf } from "../../component/text.ts";
import { failedMessage, unfitMessage } from "../../component/unfit-messages.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { InFlight } from "../../concurrency/in-flight.ts";
import { attempt } from "../../concurrency/promises.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { TransientSet } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import { type CheckText, unfitText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { asBuffer } from "../../text/utf8.ts";
import { connectMqtt, disconnectMqtt } from "./client.ts";
import { publicationFailure } from "./failures.ts";
import { type MqttOutputOptions, mqttOutputDefaults } from "./generated/output-options.ts";
import { type Quality, qualityOf, topicCheck } from "./grammar.ts";
import {
  createPropertyMaker,
  type MakeProperties,
  type PublishProperties,
  propertyNames,
  requireVersion,
} from "./properties.ts";

/** How messages are published. */
interface PublicationOptions {
  /** Where the messages go, as the document has it. */
  readonly topic: Text;
  /** Largest number of unconfirmed messages. A broker that speaks MQTT 5 may ask for fewer. */
  readonly max_in_flight: number;
  /** Milliseconds that the broker may take to confirm a message, or be disconnected while a message waits. */
  readonly write_timeout: number;
}

/** An unconfirmed message. Its time is limited while it is sent, or while the broker is disconnected. */
class Publication extends Limited {
  messageId: number | undefined = undefined;
  readonly outgoing: Outgoing;
  readonly settle: (error: GatewayError | undefined) => void;
  readonly #publications: Publications;

  constructor(
    outgoing: Outgoing,
    publications: Publications,
    settle: (error: GatewayError | undefined) => void,
  ) {
    super();
    this.outgoing = outgoing;
    this.settle = settle;
    this.#publications = publications;
  }

  onTimeout(): void {
    this.#publications.timeOut(this);
  }
}

/**
 * Largest number of unconfirmed messages of quality of service 2: the default limit of Mosquitto. Version 2.0.11
 * confirms further ones to a client of 3.1.1 and then drops them.
 */
const exactlyOnceLimit = 20;

/**
 * Publishes messages. The client itself would keep messages that it cannot send, and send them after a reconnection,
 * without a limit and long after the write has failed. Therefore nothing is passed to it while it is disconnected,
 * and messages that a lost connection left unconfirmed are taken back and fail.
 */
class Publications {
  readonly #client: MqttClient;
  readonly #options: PublicationOptions;
  readonly #timeLimits: TimeLimits;
  #connack: NonNullable<IConnackPacket["properties"]> = {};
  readonly #waiting = new Fifo<Publication>();
  readonly #inFlight = new TransientSet<Publication>();
  /** Publications that are waiting or in flight. */
  readonly #unsettled = new InFlight();
  #willPump = false;

  constructor(client: MqttClient, options: PublicationOptions) {
    this.#client = client;
    this.#options = options;
    this.#timeLimits = new TimeLimits(options.write_timeout);
    client.on("connect", (connack: IConnackPacket) => {
      this.#connack = connack.properties ?? {};
      for (const publication of this.#waiting.values()) this.#timeLimits.end(publication);
      this.#pump();
    });
    client.on("close", () => {
      this.#failInFlight();
      for (const publication of this.#waiting.values()) this.#limitTime(publication);
    });
  }

  /** Confirms the message once the broker has it. */
  publish(outgoing: Outgoing, outcome: MessageOutcome): void {
    const publication = new Publication(outgoing, this, (error) => {
      this.#timeLimits.end(publication);
      if (error === undefined) outcome.confirm();
      else outcome.refuse(failedMessage(outgoing.message, error));
      this.#unsettled.end();
    });
    this.#unsettled.begin();
    // While connected, waiting for other messages to be confirmed does not count as time.
    if (!this.#client.connected) this.#limitTime(publication);
    this.#waiting.push(publication);
    this.#pumpSoon();
  }

  /** Fails a publication whose time is over. */
  timeOut(publication: Publication): void {
    const time = this.#options.write_timeout / 1000;
    const failure = new GatewayError(502, `The MQTT broker did not confirm the message within ${time} s`);
    if (this.#waiting.delete(publication)) publication.settle(failure);
    else {
      this.#finish(publication, failure);
      this.#forget(publication);
    }
  }

  /** Resolves when no publication is pending. */
  idle(): Promise<void> {
    return this.#unsettled.empty();
  }

  #limitTime(publication: Publication): void {
    this.#timeLimits.end(publication);
    this.#timeLimits.begin(publication);
  }

  /** Pumps at the end of the turn: the client writes packets that are published in one turn to its socket at once. */
  #pumpSoon(): void {
    if (this.#willPump) return;
    this.#willPump = true;
    setImmediate(() => {
      this.#willPump = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#client.connected) {
      const next = this.#waiting.at(0);
      if (next === undefined || this.#inFlight.size >= this.#limitFor(next)) break;
      this.#waiting.shift();
      const refusal = refusalOf(this.#connack, next.outgoing);
      if (refusal === undefined) this.#send(next);
      else next.settle(refusal);
    }
  }

  #limitFor({ outgoing: { qos } }: Publication): number {
    const { max_in_flight: own } = this.#options;
    return Math.min(own, this.#connack.receiveMaximum ?? own, qos === 2 ? exactlyOnceLimit : own);
  }

  #send(publication: Publication): void {
    this.#inFlight.add(publication);
    this.#limitTime(publication);
    const { message, topic, payload, qos, retain, properties } = publication.outgoing;
    const options = { qos, retain, ...(properties !== undefined && { properties }) };
    this.#client.publish(topic, asBuffer(payload), options, (error) => {
      this.#finish(publication, error ? publicationFailure(error, message, this.#options.topic) : undefined);
    });
    if (qos > 0) publication.messageId = this.#client.getLastMessageId();
  }

  /** Settles a publication once. The client calls back a second time for messages that it was made to forget. */
  #finish(publication: Publication, failure: GatewayError | undefined): void {
    if (!this.#inFlight.delete(publication)) return;
    publication.settle(failure);
    if (this.#waiting.length > 0) this.#pumpSoon();
  }

  #failInFlight(): void {
    for (const publication of this.#inFlight.values()) {
      this.#finish(publication, new GatewayError(502, "The connection to the MQTT broker was lost"));
      this.#forget(publication);
    }
  }

  #forget({ messageId }: Publication): void {
    if (messageId !== undefined) this.#client.removeOutgoingMessage(messageId);
  }
}

/**
 * Publishes each message to a topic, in the order of the writes. A write resolves once the broker has acknowledged
 * all of its messages (with quality of service 0: once they are sent). It fails if the broker refuses a message or
 * takes longer than `write_timeout`, or if the connection is lost before.
 */
export function mqttOutput(options: MqttOutputOptions): Output {
  const settings = { ...mqttOutputDefaults, ...options };
  const makers = { checkTopic: topicCheck(settings.topic), makeProperties: createPropertyMaker(settings) };
  let client: MqttClient | undefined;
  let publications: Publications | undefined;

  function publish(batch: Batch, to: Publications): Promise<Delivered> {
    // If one message of a batch cannot be sent, none of them is.
    const outgoing = prepareAll(batch, (message, index) => describe(settings, makers, message, batch, index));
    const write = new CountedWrite(outgoing.length);
    for (const each of outgoing) to.publish(each, write);
    return write.settled;
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
    message,
    topic: checkTopic(textOf(topic, batch, index)),
    payload: message.bytes(),
    qos: qualityOf(qos),
    retain:
      retained_interpolated === undefined ? retained : readTruth(textOf(retained_interpolated, batch, index)),
    properties: makeProperties(batch, index),
  };
}

/** Parses a boolean in the spellings of the reference engine. */
function readTruth(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw unfitText("retained_interpolated", "`true` or `false`");
}

/** A message to publish. */
interface Outgoing {
  readonly message: Message;
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Quality;
  readonly retain: boolean;
  readonly properties: PublishProperties | undefined;
}

/** Size of the largest packet of the protocol, in bytes: four bytes hold the length of all that follows them. */
const largestPacket = 5 + 0xfff_ffff;

/**
 * Returns an error if a message would end the connection: the protocol cannot carry it, or it exceeds the limits that a
 * broker of MQTT 5 announced when it was connected to; `undefined` if it would not.
 */
function refusalOf(
  {
    maximumQoS,
    retainAvailable,
    maximumPacketSize = largestPacket,
  }: NonNullable<IConnackPacket["properties"]>,
  outgoing: Outgoing,
): GatewayError | undefined {
  if (maximumQoS !== undefined && outgoing.qos > maximumQoS)
    return refused(`The MQTT broker supports no quality of service above ${maximumQoS}`);
  if (retainAvailable === false && outgoing.retain)
    return refused("The MQTT broker does not support retained messages");
  const largest = Math.min(maximumPacketSize, largestPacket);
  if (packetSize(outgoing) > largest) {
    const failure = refused(`The MQTT broker accepts no message of more than ${largest} bytes`);
    return unfitMessage(outgoing.message, failure);
  }
  return undefined;
}

function refused(message: string): GatewayError {
  return new GatewayError(502, message, { retryable: false });
}

/** Returns the size of a PUBLISH packet in bytes (MQTT 5, section 3.3). */
function packetSize({ topic, payload, qos, properties = {} }: Outgoing): number {
  const beside = propertiesSize(properties);
  const rest = textSize(topic) + (qos === 0 ? 0 : 2) + numberSize(beside) + beside + payload.byteLength;
  return 1 + numberSize(rest) + rest;
}

function propertiesSize(properties: PublishProperties): number {
  const {
    contentType,
    responseTopic,
    correlationData,
    messageExpiryInterval,
    userProperties = {},
  } = properties;
  const texts = [contentType, responseTopic].filter((text) => text !== undefined);
  const pairs = Object.entries(userProperties).map(
    ([name, value]) => textSize(name) + textSize(String(value)),
  );
  const sizes = [...texts.map(textSize), ...pairs];
  if (correlationData !== undefined) sizes.push(2 + correlationData.byteLength);
  if (messageExpiryInterval !== undefined) sizes.push(4);
  return sizes.reduce((sum, size) => sum + 1 + size, 0); // each follows a byte that identifies the property
}

function textSize(text: string): number {
  return 2 + Buffer.byteLength(text);
}

/** Returns the size of a variable-length integer in bytes: each holds seven bits. */
function numberSize(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;
}
