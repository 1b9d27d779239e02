// English messages of the kit.

import type { Language } from "./message-types.ts";

/** The messages by name. A page with its own messages includes these. */
export const kitEnglish = {
  "kit.tryAgain": "Try again",
  "kit.notLoaded": "Could not load “{name}”.",
  "kit.loading": "Loading “{name}” …",
  "kit.cancel": "Cancel",
  "kit.restored": "These changes have not been saved.",
  "kit.discard": "Discard changes",
  "kit.required": "This field is required.",
  "kit.filter": "Filter",
  "kit.filterTable": "Filter {title}",
  "kit.noRow": "No row contains “{filter}”.",
  "kit.previous": "Previous",
  "kit.next": "Next",
  "kit.page": "Page {page} of {last}",
  "kit.notFound": "Not found",
  "kit.noView": "There is no such view.",
  "kit.firstView": "Go to the first view",
  "kit.lost": "The address may be of another page, or of a person with more rights.",
  "kit.whereYouAre": "Where you are",
  "kit.copy": "Copy",
  "kit.copied": "Copied",
  "kit.copyName": "Copy {name}",
  "kit.used": "{used} of {limit}",
  "kit.usedPart": "{name}: {percent} % used",
  "kit.closeMessage": "Close the message",
  "kit.skip": "Skip to the content",
  "kit.find": "Find",
  "kit.views": "Views",
  "kit.palette": "Find a view or an action",
  "kit.whereTo": "Where to?",
  "kit.found": "What was found",
  "kit.nothingCalled": "Nothing is called “{text}”.",
  "kit.signIn": "Sign in with {name}",
  "kit.unreachable": "The server cannot be reached. Check your connection.",
  "kit.status": "The answer was {status}.",
  "kit.unexpected": "The answer of the server could not be read.",
  "kit.done": "Done",
  "kit.noJson": "This is not valid JSON: {reason}",
  "kit.noObject": "This must be a JSON object.",
  "kit.unitOf": "{name}: unit",
  "kit.seconds": "seconds",
  "kit.minutes": "minutes",
  "kit.hours": "hours",
  "kit.days": "days",
} as const;

/** The language of pages that have no other. */
export const english: Language = { language: "en", messages: kitEnglish };
