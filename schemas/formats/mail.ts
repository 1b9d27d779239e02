import type { Format } from "./format.ts";

/** Where a server for e-mails is, as `runtime/portal/mail/smtp-mailer.ts` reads it. */
export const smtpAddress: Format = {
  title: "the address of a server for e-mails",
  pattern: /^smtps?:\/\/(?:[^\s/?#@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?\/?$/,
  faults: [
    [/^\s|\s$/, "blanks stand around it"],
    [/^smtps?:/, "what stands behind `smtp://` is no host, with a port or without"],
  ],
  otherwise: "it begins with neither `smtp://` nor `smtps://`",
  example: "smtp://mail.example.com:587",
  fillings: [
    "smtp://a",
    "smtps://a",
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
