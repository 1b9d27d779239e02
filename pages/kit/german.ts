// German messages of the kit.

import type { kitEnglish } from "./english.ts";
import type { Translated } from "./message-types.ts";

/** The messages by name. */
export const kitGerman: Translated<typeof kitEnglish> = {
  "kit.tryAgain": "Erneut versuchen",
  "kit.notLoaded": "„{name}“ konnte nicht geladen werden.",
  "kit.loading": "„{name}“ wird geladen …",
  "kit.cancel": "Abbrechen",
  "kit.required": "Dieses Feld ist erforderlich.",
  "kit.filter": "Filtern",
  "kit.filterTable": "{title} filtern",
  "kit.noRow": "Keine Zeile enthält „{filter}“.",
  "kit.previous": "Zurück",
  "kit.next": "Weiter",
  "kit.page": "Seite {page} von {last}",
  "kit.notFound": "Nicht gefunden",
  "kit.noView": "Es gibt keine solche Ansicht.",
  "kit.firstView": "Zur ersten Ansicht",
  "kit.lost": "Die Adresse kann zu einer anderen Seite gehören oder zu einer Person mit mehr Rechten.",
  "kit.whereYouAre": "Wo Sie sind",
  "kit.copy": "Kopieren",
  "kit.copied": "Kopiert",
  "kit.copyName": "{name} kopieren",
  "kit.used": "{used} von {limit}",
  "kit.usedPart": "{name}: {percent} % verbraucht",
  "kit.closeMessage": "Meldung schließen",
  "kit.skip": "Zum Inhalt springen",
  "kit.find": "Suchen",
  "kit.views": "Ansichten",
  "kit.palette": "Ansicht oder Aktion suchen",
  "kit.whereTo": "Wohin?",
  "kit.found": "Gefundenes",
  "kit.nothingCalled": "Nichts heißt „{text}“.",
  "kit.signIn": "Mit {name} anmelden",
  "kit.unreachable":
    "Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.",
  "kit.status": "Die Antwort war {status}.",
  "kit.done": "Erledigt",
  "kit.noJson": "Das ist kein gültiges JSON: {reason}",
  "kit.noObject": "Hier muss ein JSON-Objekt stehen.",
  "kit.unitOf": "{name}: Einheit",
  "kit.seconds": "Sekunden",
  "kit.minutes": "Minuten",
  "kit.hours": "Stunden",
  "kit.days": "Tage",
};
