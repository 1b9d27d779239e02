// German translations of the English texts in the portal's responses. The name of a field before a colon is
// not part of a text. A text may begin with the name of a field in backticks; those come first here.
// `{}` stands for a number, or for a code in parentheses.

export const germanSaid: Readonly<Record<string, string>> = {
  "Not authorised": "Sie sind nicht angemeldet.",
  "Could not retrieve portal object.": "Das gibt es nicht oder nicht mehr.",
  "Could not retrieve object for deletion": "Das gibt es nicht mehr.",
  "No policy found!": "Diese Richtlinie gibt es nicht.",
  "No developer found!": "Diesen Entwickler gibt es nicht.",
  "No product found!": "Dieses Produkt gibt es nicht.",
  "The developer is inactive.": "Der Entwickler ist inaktiv.",
  "The team is inactive.": "Das Team ist inaktiv.",
  "A team with that name already exists.": "Es gibt schon ein Team mit diesem Namen.",
  "Team object validation failed.": "Das Team wird nicht angenommen.",
  "Must have characters that can be read": "Der Name muss lesbar sein.",
  "Only owners of the team may do this.": "Das dürfen nur Eigentümer des Teams.",
  "The team would have no owner. Make another member one first.":
    "Das Team hätte keinen Eigentümer. Machen Sie erst ein anderes Mitglied dazu.",
  "A member of the team has that address.": "Ein Mitglied des Teams hat diese Adresse.",
  "The invitation is valid, but no more e-mails are sent today.":
    "Die Einladung gilt, aber heute werden keine E-Mails mehr gesendet.",
  "The invitation is not valid.": "Die Einladung wird nicht angenommen.",
  "Your account is inactive.": "Ihr Konto ist inaktiv.",
  "Key request has already been processed.": "Die Anfrage ist schon bearbeitet.",
  "This has already been requested and is waiting for approval.":
    "Das ist schon angefragt und wartet auf eine Genehmigung.",
  "This portal does not accept sign-ups.": "Dieses Portal nimmt keine Registrierungen an.",
  "This is not an e-mail address.": "Das ist keine E-Mail-Adresse.",
  "Does not match format 'email'": "Das ist keine E-Mail-Adresse.",
  "This link has already been used or has expired. Request another one.":
    "Dieser Link wurde schon benutzt oder ist zu alt. Fordern Sie einen neuen an.",
  "Too many e-mails were requested.":
    "Es wurden zu viele E-Mails angefordert. Versuchen Sie es später wieder.",
  "The sign-up is incomplete or too long.": "Die Registrierung ist unvollständig oder zu lang.",
  "This field is required.": "Dieses Feld ist erforderlich.",
  "The password has expired; change it first.": "Das Passwort ist zu alt; ändern Sie es zuerst.",
  "This is not the current password.": "Das ist nicht das jetzige Passwort.",
  "The password has been changed meanwhile.": "Das Passwort wurde inzwischen geändert.",
  "Developer password validation failed.": "Das Passwort wird nicht angenommen.",
  "Developer object validation failed.": "Die Angaben werden nicht angenommen.",
  "Must not be one of the last passwords": "Es darf keines der letzten Passwörter sein.",
  "Must not be the e-mail address": "Es darf nicht die E-Mail-Adresse sein.",
  "A developer with that e-mail address or SSO key already exists.":
    "Es gibt schon einen Entwickler mit dieser E-Mail-Adresse oder diesem SSO-Schlüssel.",
  "The developer has no access to these products.": "Der Entwickler hat keinen Zugang zu diesen Produkten.",
  "No product of the app has webhooks enabled.": "Kein Produkt der App hat Webhooks eingeschaltet.",
  "The products of the app do not offer these events.": "Die Produkte der App bieten diese Ereignisse nicht.",
  "Webhook object validation failed.": "Der Webhook wird nicht angenommen.",
  "Policy object validation failed.": "Die Richtlinie wird nicht angenommen.",
  "Documentation object validation failed.": "Die Dokumentation wird nicht angenommen.",
  "Branding object validation failed.": "Das Aussehen wird nicht angenommen.",
  "Texts object validation failed.": "Die Seiten werden nicht angenommen.",
  "Answered with status {}": "Mit Status {} beantwortet",
  "Answered with status {}, and redirects are not followed":
    "Mit Status {} beantwortet, und Weiterleitungen wird nicht gefolgt",
  "No answer within {} ms": "Keine Antwort innerhalb von {} ms",
  "The connection failed": "Die Verbindung kam nicht zustande",
  "The connection failed ({})": "Die Verbindung kam nicht zustande ({})",
  "The address is not public": "Die Adresse ist nicht öffentlich",
  "It could not be signed": "Die Zustellung konnte nicht signiert werden",
  "{} deliveries waited already": "{} Zustellungen warteten schon",
  "They are being replayed already.": "Sie werden schon erneut gesendet.",
  "The webhook is disabled.": "Der Webhook ist ausgeschaltet.",
  "The e-mail is no longer retried; request another one.":
    "Die E-Mail wurde aufgegeben; lassen Sie eine neue erstellen.",
  "This is not allowed.": "Das ist nicht erlaubt.",
  "Passwords are switched off. Use single sign-on.":
    "Passwörter sind ausgeschaltet. Benutzen Sie Single Sign-on.",
  "`jwt_secret` is not a public key in PEM.": "`jwt_secret` ist kein öffentlicher Schlüssel in PEM.",
  "`jwt_secret` is an address, and the API verifies tokens by a shared secret.":
    "`jwt_secret` ist eine Adresse, und die API prüft Tokens mit einem gemeinsamen Geheimnis.",
  "`jwt_secret` is a public key, and the API verifies tokens by a shared secret.":
    "`jwt_secret` ist ein öffentlicher Schlüssel, und die API prüft Tokens mit einem gemeinsamen Geheimnis.",
  "`jwt_secret` is a private key; send the public one.":
    "`jwt_secret` ist ein privater Schlüssel; senden Sie den öffentlichen.",
  "`certificate` is not one certificate in PEM.": "`certificate` ist nicht genau ein Zertifikat in PEM.",
  "`certificate` is that of an authority, not of a client.":
    "`certificate` gehört einer Zertifizierungsstelle, nicht einem Client.",
  "`certificate` is not signed by the key that it holds.":
    "`certificate` ist nicht mit dem Schlüssel signiert, den es enthält.",
  "`certificate` is not one certificate request in PEM.":
    "`certificate` ist nicht genau eine Zertifikatsanforderung in PEM.",
  "`certificate` is missing: the API asks for certificates.":
    "`certificate` fehlt: Die API verlangt Zertifikate.",
  "`certificate` is a request to be signed, and no authority is configured to sign it.":
    "`certificate` ist eine Anforderung, und keine Zertifizierungsstelle ist eingerichtet, sie zu signieren.",
  "`certificate` is not valid now.": "`certificate` gilt jetzt nicht.",
};
