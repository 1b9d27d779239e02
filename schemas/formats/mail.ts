import type { Format } from "./format.ts";

/** The address of a mail server, as read by `runtime/portal/mail/smtp-mailer.ts`. */
export const smtpAddress: Format = {
  title: "the address of a mail server",
  pattern: /^smtps?:\/\/(?:[^\s/?#@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?\/?$/,
  faults: [
    [/^\s|\s$/, "it has spaces around it"],
    [/^smtps?:/, "`smtp://` must be followed by a host and an optional port"],
  ],
  otherwise: "it must start with `smtp://` or `smtps://`",
  example: "smtp://mail.example.com:587",
  fillings: [
    "smtp://a",
    "smtps://a",
    "smtp",
    "smtp:",
    "//a",
    "a",
    ":",
    "://",
    ":/",
    "s://",
    "1",
    "/",
    "[",
    "[:",
    "/[",
    "/[:",
    "//[",
    ":]",
  ],
};
