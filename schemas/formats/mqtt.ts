import { addressFormat } from "./addresses.ts";
import type { Format } from "./format.ts";

/** A topic to publish to. */
export const mqttTopic: Format = {
  title: "an MQTT topic to publish to",
  // The protocol forbids NUL in topics.
  pattern: /^[^#+\0]+$/,
  faults: [[/[#+]/, "`+` and `#` are for subscriptions"]],
  otherwise: "topics hold no NUL",
  example: "orders/new",
};

/** What to subscribe to: `+` is one whole level, `#` all from there on; `$share/GROUP/…` shares it. */
export const mqttFilter: Format = {
  title: "an MQTT topic filter",
  pattern:
    // The protocol forbids NUL in topics.
    /^(?:\$share\/[^/#+\0]+\/(?!$)|(?!\$share(?:\/|$)))(?:(?:\+|[^#+/\0]*)\/)*(?:#|\+|[^#+/\0]*)$/,
  faults: [
    [/^\$share(?:\/|$)(?!\/?[^/#+]+\/[\s\S])/, "shared subscriptions are `$share/GROUP/FILTER`"],
    [/#(?!$)/, "`#` stands only at the end"],
    [/[^/]#/, "`#` is a level of its own, as in `orders/#`"],
    [/[^/]\+|\+[^/]/, "`+` is a level of its own, as in `orders/+/new`"],
  ],
  otherwise: "filters hold no NUL",
  example: "orders/+/new",
};

/** A broker; without a scheme it is reached over plain TCP. */
export const mqttAddress = addressFormat(["mqtt", "mqtts", "tcp", "ssl", "tls", "ws", "wss"], {
  title: "the address of an MQTT broker",
  example: "tcp://localhost:1883",
  isSchemeOptional: true,
});
