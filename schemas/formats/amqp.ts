import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

/** Bytes of a short string (AMQP 0-9-1, section 4.2.5.3). */
const longest = 255;
const unprintable = "it contains control characters or unpaired surrogates";

/** A broker that speaks AMQP; in 0.9.1 the path names a virtual host. */
export const amqpAddress = addressFormat(["amqp", "amqps"], {
  title: "the address of an AMQP broker",
  example: "amqp://localhost:5672",
  isSchemeOptional: false,
});

/** A short string of 0-9-1: queues, keys and what goes with a message. */
export const amqpShort: Format = {
  title: "an AMQP short string",
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  faults: [],
  otherwise: unprintable,
  longest,
  example: "orders.new",
};

/** An exchange. Those of the broker itself take no messages of clients, and cost the channel. */
export const amqpExchange: Format = {
  title: "an exchange of an AMQP broker",
  pattern: /^(?!amq\.rabbitmq\.)[^\p{Cc}\p{Cs}]*$/u,
  faults: [[/^amq\.rabbitmq\./, "names with `amq.rabbitmq.` are reserved for the broker"]],
  otherwise: unprintable,
  longest,
  example: "shop",
};

/** An exchange that messages or requests may choose: `amq.` begins those that every broker has. */
export const amqpUnreservedExchange = unreserved(
  amqpExchange,
  "amq\\.",
  "names with `amq.` are reserved for the broker",
);

/** Which keys a binding takes; of a topic exchange `*` is one word, `#` any number of them. */
export const amqpBindingKey: Format = {
  ...amqpShort,
  title: "a key of an AMQP binding",
  example: "orders.#",
};

/** A key of a binding that stands for itself alone. */
export const amqpLiteralKey: Format = {
  title: "a key of an AMQP binding without wildcards",
  pattern: /^[^*#\p{Cc}\p{Cs}]*$/u,
  faults: [[/[*#]/, "`*` and `#` are wildcards"]],
  otherwise: unprintable,
  longest,
  example: "orders.new",
};

/** One word of a key, or a piece of one. */
export const amqpWord: Format = {
  title: "one word of an AMQP key without wildcards",
  pattern: /^[^*#.\p{Cc}\p{Cs}]+$/u,
  faults: [
    [/[*#]/, "`*` and `#` are wildcards"],
    [/\./, "dots separate words"],
  ],
  otherwise: unprintable,
  longest,
  example: "new",
};

/** An address of 1.0, which brokers read in their own ways. */
export const amqpNode: Format = {
  title: "the address of a node of an AMQP broker",
  pattern: /^[^\p{Cc}\p{Cs}]+$/u,
  faults: [],
  otherwise: unprintable,
  longest: 2048,
  example: "/queue/orders",
};

/** Nodes that brokers are managed by, such as `$management` and `$cbs`. */
const managing = ["\\$|/management$", "it is a management node of the broker"] as const;

/** An address that requests may choose. */
export const amqpUnreservedNode = unreserved(amqpNode, ...managing);

/** The same, without what brokers read as wildcards or as escapes of them. */
export const amqpLiteralNode: Format = {
  title: "the address of a node of an AMQP broker without wildcards",
  pattern: /^(?!\$|\/management$)[^*#>%?;\p{Cc}\p{Cs}]+$/u,
  faults: [
    [/^\$|^\/management$/, managing[1]],
    [/[*#>]/, "`*`, `#` and `>` are wildcards"],
  ],
  otherwise: "`%`, `?` and `;` have a special meaning for brokers",
  longest: 2048,
  example: "/queue/orders",
};

/** One part of an address, or a piece of one. */
export const amqpNodePart: Format = {
  title: "one part of the address of a node of an AMQP broker",
  pattern: /^[^*#>%?;./:\p{Cc}\p{Cs}]+$/u,
  faults: [
    [/[*#>]/, "`*`, `#` and `>` are wildcards"],
    [/[./:]/, "dots, slashes and colons separate parts"],
  ],
  otherwise: "`%`, `?` and `;` have a special meaning for brokers",
  longest: 2048,
  example: "orders",
};
