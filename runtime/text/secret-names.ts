// Words in names of secrets, for everything that hides values: diagnostics of the compiler, and samples of streams.

/** Words of names whose values are secrets, in lower case without hyphens and underscores. */
export const secretWords: readonly string[] = [
  ...["password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "bearer", "authorization"],
  ...["cookie", "credential", "sessionid", "assertion", "signature", "nkeyseed", "connectionstring"],
  ...["datasourcename", "basicauthdata"],
  ...[
    "api",
    "auth",
    "private",
    "shared",
    "signing",
    "encryption",
    "session",
    "master",
    "account",
    "access",
  ].map((word) => `${word}key`),
  ...["function", "license", "instrumentation", "subscription"].map((word) => `${word}key`),
];

/** The same, for words that are also parts of other words. */
export const shortSecretWords: readonly string[] = ["dsn", "jwt", "otp", "pass", "pw", "salt"];
