import type { Format } from "./format.ts";

/** The type of an event, as used in subscriptions and in a header. */
export const eventType: Format = {
  title: "the type of an event",
  pattern: /^[!-~]+(?: [!-~]+)*$/,
  faults: [
    [/^\s|\s$|\s\s/, "it has leading, trailing or double spaces"],
    [/[^\x20-\x7e]/, "it must consist of printable ASCII characters"],
  ],
  otherwise: "it must consist of printable ASCII characters",
  example: "order.made",
};

/** The key that signs webhooks: a prefix and bytes as Base64, or the bytes of any other text. */
export const webhookSecret: Format = {
  title: "the secret of a webhook",
  pattern: /^(?:whsec_[A-Za-z0-9+/]{22,86}={0,2}|(?!whsec_)[\s\S]{8,512})$/,
  faults: [[/^whsec_/, "`whsec_` must be followed by 16 to 64 bytes in base64"]],
  otherwise: "it must have 8 to 512 characters",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};
