// The English texts of the portal: e-mails, and words in responses for the page.

/** The texts by name. The other languages have the same names. `{{link}}` and similar are placeholders of e-mails. */
export const english = {
  "mail.signUp.subject": "Complete your registration",
  "mail.signUp.body":
    "Open this link to choose a password and complete your registration. It can be used once, within 24 hours. If you did not sign up, ignore this e-mail: no account is made.",
  "mail.known.subject": "You have an account already",
  "mail.known.body":
    "Someone wanted to sign up with your address, which has an account already. If it was you, log in, or ask for another password here. Otherwise, ignore this e-mail.",
  "mail.password.subject": "Choose another password",
  "mail.password.body":
    "Open this link to choose another password. It can be used once, within an hour. If you did not ask for it, ignore this e-mail: your password stays as it is.",
  "mail.invitation.subject": "You are invited to a team",
  "mail.invitation.body":
    "You are invited to the team “{{team}}”. Log in with this address to accept or decline. If you did not expect this, ignore this e-mail: nothing happens.",
  "mail.invitation.signUp": "If you have no account yet, sign up with this address first.",
  "mail.invitation.team": "of a member of the portal",
  "credential.line.client": "Client",
  "credential.line.secret": "Secret",
  "credential.line.fingerprint": "Fingerprint",
  "credential.line.user": "User",
  "credential.line.password": "Password",
  "credential.line.key": "Key",
  "limit.rate": "{count} requests in {seconds} s",
  "limit.quota": "{count} requests altogether",
  "limit.renewedQuota": "{count} requests in {seconds} s altogether",
  "page.needsScript": "This page needs its script; the interface at /api/portal does not.",
} as const;

/** The name of a text. */
export type TextName = keyof typeof english;
