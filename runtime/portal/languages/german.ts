// The German texts of the portal.

import type { TextName } from "./english.ts";

/** The texts by name. */
export const german: Readonly<Record<TextName, string>> = {
  "mail.signUp.subject": "Schließen Sie Ihre Registrierung ab",
  "mail.signUp.body":
    "Öffnen Sie diesen Link, um ein Passwort zu wählen und Ihre Registrierung abzuschließen. Er gilt einmal und 24 Stunden lang. Wenn Sie sich nicht registriert haben, ignorieren Sie diese E-Mail: Es wird kein Konto angelegt.",
  "mail.known.subject": "Sie haben schon ein Konto",
  "mail.known.body":
    "Jemand wollte sich mit Ihrer Adresse registrieren, die schon ein Konto hat. Wenn Sie es waren, melden Sie sich an, oder fordern Sie hier ein anderes Passwort an. Sonst ignorieren Sie diese E-Mail.",
  "mail.password.subject": "Wählen Sie ein anderes Passwort",
  "mail.password.body":
    "Öffnen Sie diesen Link, um ein anderes Passwort zu wählen. Er gilt einmal und eine Stunde lang. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.",
  "mail.invitation.subject": "Sie sind in ein Team eingeladen",
  "mail.invitation.body":
    "Sie sind in das Team „{{team}}“ eingeladen. Melden Sie sich mit dieser Adresse an, um anzunehmen oder abzulehnen. Wenn Sie das nicht erwartet haben, ignorieren Sie diese E-Mail: Es geschieht nichts.",
  "mail.invitation.signUp": "Wenn Sie noch kein Konto haben, registrieren Sie sich erst mit dieser Adresse.",
  "mail.invitation.team": "eines Mitglieds des Portals",
  "credential.line.client": "Client",
  "credential.line.secret": "Geheimnis",
  "credential.line.fingerprint": "Fingerabdruck",
  "credential.line.user": "Benutzer",
  "credential.line.password": "Passwort",
  "credential.line.key": "Schlüssel",
  "limit.rate": "{count} Anfragen in {seconds} s",
  "limit.quota": "{count} Anfragen insgesamt",
  "limit.renewedQuota": "{count} Anfragen in {seconds} s insgesamt",
  "page.needsScript": "Diese Seite braucht ihr Skript; die Schnittstelle unter /api/portal braucht es nicht.",
};
