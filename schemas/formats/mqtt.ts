import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

/** Maximum length of a string in bytes (MQTT 5, section 1.5.4). */
const longest = 65_535;

/**
 * Characters over which brokers may close the connection, as Mosquitto does (MQTT 5, section 1.5.4): control
 * characters, unpaired surrogates, and Unicode noncharacters.
 */
const forbidden = [
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u,
  "it contains control characters or other forbidden characters",
] as const;

/** A topic to publish to. Mosquitto closes the connection for topics of more than 200 levels. */
export const mqttTopic: Format = {
  title: "an MQTT topic to publish to",
  pattern:
    /^(?=[\s\S])(?!\$share\/)[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*(?:\/[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*){0,199}$/u,
  faults: [
    [/[#+]/, "the wildcards `+` and `#` are only for subscriptions"],
    [/^\$share\//, "shared subscriptions are only for inputs"],
    forbidden,
  ],
  otherwise: "a topic has at most 200 levels",
  longest,
  example: "orders/new",
};

/** Topics of the broker, such as `$SYS/…`, and shared subscriptions (MQTT 5, section 4.7.2). */
const reserved = ["\\$", "topics with `$` are reserved for the broker"] as const;

/** A topic to publish to that messages or requests may choose. */
export const mqttUnreservedTopic = unreserved(mqttTopic, ...reserved);

/** A part of a topic to publish to. */
export const mqttTopicPart: Format = {
  title: "a part of an MQTT topic to publish to",
  pattern: /^[^#+\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u,
  faults: [forbidden],
  otherwise: "the wildcards `+` and `#` are only for subscriptions",
  longest,
  example: "orders/new",
};

/** One level of a topic, or a part of one, in a list of topics. */
export const mqttLevel: Format = {
  title: "one level of an MQTT topic without wildcards",
  pattern: /^[^#+/,\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+$/u,
  faults: [[/\//, "slashes separate levels"], [/,/, "commas separate topics"], forbidden],
  otherwise: "`+` and `#` are wildcards",
  longest,
  example: "new",
};

/** A topic to subscribe to in a list of topics, without wildcards. */
export const mqttLiteral: Format = {
  title: "an MQTT topic without wildcards",
  pattern: /^(?!\$)[^#+,\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+$/u,
  faults: [[/,/, "commas separate topics"], [/^\$/, reserved[1]], forbidden],
  otherwise: "`+` and `#` are wildcards",
  longest,
  example: "orders/new",
};

/** Any other string of the protocol: client identifiers, users, types, user properties. */
export const mqttText: Format = {
  title: "an MQTT string",
  pattern: /^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u,
  faults: [],
  otherwise: forbidden[1],
  longest,
  example: "gateway-1",
};

/**
 * A topic filter to subscribe to: `+` is one whole level, `#` all following levels; `$share/GROUP/…` is a shared
 * subscription.
 */
export const mqttFilter: Format = {
  title: "an MQTT topic filter",
  pattern:
    /^(?:\$share\/[^/#+\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+\/(?!$)|(?!\$share(?:\/|$)))(?:(?:\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)\/)*(?:#|\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)$/u,
  faults: [
    forbidden,
    [/^\$share(?:\/|$)(?!\/?[^/#+]+\/[\s\S])/, "a shared subscription has the form `$share/GROUP/FILTER`"],
    [/#(?!$)/, "`#` must be the last level"],
    [/[^/]#/, "`#` must be a complete level, as in `orders/#`"],
    [/[^/]\+|\+[^/]/, "`+` must be a complete level, as in `orders/+/new`"],
  ],
  otherwise: forbidden[1],
  longest,
  example: "orders/+/new",
};

/** A topic filter that a request may subscribe to. */
export const mqttUnreservedFilter = unreserved(mqttFilter, ...reserved);

/** A broker; without a scheme, the connection uses plain TCP. */
export const mqttAddress = addressFormat(["mqtt", "mqtts", "tcp", "ssl", "tls", "ws", "wss"], {
  title: "the address of an MQTT broker",
  example: "tcp://localhost:1883",
  isSchemeOptional: true,
});

/**
 * Returns the same text for every spelling of a broker's address: the host with its port or the default port of the
 * scheme, and the path, in lower case, without scheme and credentials.
 */
export function mqttBrokerOf(address: string): string {
  const [, scheme = "mqtt", place = ""] =
    /^(?:([a-z]+):\/\/)?(?:[^@/]*@)?([^?]*)/i.exec(address.trim()) ?? [];
  const protocol = sameProtocols.get(scheme.toLowerCase()) ?? scheme.toLowerCase();
  const port = usualPorts.get(protocol);
  const [host = "", ...path] = place.replace(/\/+$/, "").toLowerCase().split("/");
  return [port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`, ...path].join("/");
}

const sameProtocols = new Map([
  ["tcp", "mqtt"],
  ["ssl", "mqtts"],
  ["tls", "mqtts"],
]);

const usualPorts = new Map([
  ["mqtt", 1883],
  ["mqtts", 8883],
  ["ws", 80],
  ["wss", 443],
]);
