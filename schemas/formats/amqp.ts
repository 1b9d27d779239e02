import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

/** Maximum length of a short string in bytes (AMQP 0-9-1, section 4.2.5.3). */
const longest = 255;
const unprintable = "it contains control characters or unpaired surrogates";

/** A broker that speaks AMQP; in 0.9.1 the path names a virtual host. */
export const amqpAddress = addressFormat(["amqp", "amqps"], {
  title: "the address of an AMQP broker",
  example: "amqp://localhost:5672",
  isSchemeOptional: false,
});

/** A short string of AMQP 0-9-1: queues, keys and properties of messages. */
export const amqpShort: Format = {
  title: "an AMQP short string",
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  faults: [],
  otherwise: unprintable,
  longest,
  example: "orders.new",
};

/** An exchange. The broker closes the channel of a client that publishes to an internal exchange. */
export const amqpExchange: Format = {
  title: "an exchange of an AMQP broker",
  pattern: /^(?!amq\.rabbitmq\.)[^\p{Cc}\p{Cs}]*$/u,
  faults: [[/^amq\.rabbitmq\./, "names with `amq.rabbitmq.` are reserved for the broker"]],
  otherwise: unprintable,
  longest,
  example: "shop",
};

/** An exchange that messages or requests may choose: not one that begins with `amq.`, as predeclared exchanges do. */
export const amqpUnreservedExchange = unreserved(
  amqpExchange,
  "amq\\.",
  "names with `amq.` are reserved for the broker",
);

/** The binding key. For a topic exchange, `*` is one word and `#` any number of words. */
export const amqpBindingKey: Format = {
  ...amqpShort,
  title: "a key of an AMQP binding",
  example: "orders.#",
};

/** A binding key without wildcards. */
export const amqpLiteralKey: Format = {
  title: "a key of an AMQP binding without wildcards",
  pattern: /^[^*#\p{Cc}\p{Cs}]*$/u,
  faults: [[/[*#]/, "`*` and `#` are wildcards"]],
  otherwise: unprintable,
  longest,
  example: "orders.new",
};

/** One word of a key, or a part of one. */
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

/** An address of AMQP 1.0. Brokers interpret it in their own ways. */
export const amqpNode: Format = {
  title: "the address of a node of an AMQP broker",
  pattern: /^[^\p{Cc}\p{Cs}]+$/u,
  faults: [],
  otherwise: unprintable,
  longest: 2048,
  example: "/queue/orders",
};

/** Management nodes of brokers, such as `$management` and `$cbs`. */
const managing = ["\\$|/management$", "it is a management node of the broker"] as const;

/** An address that requests may choose. */
export const amqpUnreservedNode = unreserved(amqpNode, ...managing);

/** The same, without characters that brokers read as wildcards or escapes. */
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

/** One segment of an address, or a part of one. */
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
