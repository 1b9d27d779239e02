import type { Format } from "./format.ts";

/** Type of an event, as subscribers name it and as a header holds it. */
export const eventType: Format = {
  title: "the type of an event",
  pattern: /^[!-~]+(?: [!-~]+)*$/,
  faults: [
    [/^\s|\s$|\s\s/, "blanks stand alone between words there"],
    [/[^\x20-\x7e]/, "such types are printable ASCII"],
  ],
  otherwise: "such types are printable ASCII",
  example: "order.made",
};

/** What signs webhooks: bytes as base64 behind a prefix, or the bytes of any other text. */
export const webhookSecret: Format = {
  title: "the secret of a webhook",
  pattern: /^(?:whsec_[A-Za-z0-9+/]{22,86}={0,2}|(?!whsec_)[\s\S]{8,512})$/,
  faults: [[/^whsec_/, "behind `whsec_` stands the base64 of 16 to 64 bytes"]],
  otherwise: "such secrets have 8 to 512 characters",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};
